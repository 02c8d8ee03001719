import type { Observable } from 'rxjs';
import type { Endpoint, EventsWatchInput } from '../endpoint/index.js';
import { aBoolean, aFunction, checkOptions, milliseconds, type Options } from '../error/index.js';
import type { EventListCodec, IdentityEventList, NoOwnEvents } from '../protocol/index.js';
import {
  audienceFeed,
  continuingWatch,
  WATCH_OPTIONS,
  type EventFeed,
  type EventFeedConfig,
  type FeedSource,
  type WatchConfig,
  type WatchSharing,
} from '../stream/index.js';
import type { ClientContext } from './context.js';
import { endpointAnswers, endpointWatch, unlessRendering } from './endpoint-watch.js';
import { request } from './requests.js';
import { sharedFeed } from './shared-feed.js';

/**
 * The live events of the identity that the client's token belongs to (docs/the-service.md, 4.3 and
 * 6).
 */
export interface EventsApi<Own extends object = NoOwnEvents> {
  /**
   * Sends one request for events. It is cold. It emits one answer and completes. Unsubscribing
   * aborts the request. Without a `watch_index`, the answer comes immediately, without events. Its
   * index marks the current position. With a `watch_index`, the answer comes once there are newer
   * events, or without events after 40–60 s.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.events.watch().subscribe(({ watch }) => console.log(watch.index));
   */
  watch(input?: EventsWatchInput): Observable<IdentityEventList<Own>>;

  /**
   * The live events in batches, one for each answer with events. It is cold. Each subscription is a
   * separate watch. It completes only if `ack` decides so, or the client is closed. `from` resumes
   * from an earlier index or checkpoint. `ack` delays the next poll until a batch has been
   * processed. Without `ack`, `concatMap` queues batches without a bound if it is slower than the
   * service.
   *
   * Errors: only those that polling again cannot fix. Everything else is retried. See `watch`.
   *
   * @example
   * client.events
   *   .batches({ ack: (batch, checkpoint) => save(checkpoint) })
   *   .subscribe(({ events }) => apply(events));
   */
  batches(config?: WatchConfig<IdentityEventList<Own>>): Observable<IdentityEventList<Own>>;

  /**
   * The client's shared feed. It has one poll for all subscribers of all its streams, and none
   * while there are no subscribers. It keeps its position while the client lives, so a new
   * subscriber continues where the last one left.
   */
  readonly feed: EventFeed<Own>;

  /**
   * Creates a separate feed, with a separate poll and position. With `resume: false`, it does not
   * keep its position: each first subscriber starts from now, with a gap if there was a subscriber
   * before.
   *
   * @example
   * const feed = client.events.createFeed({ from: savedIndex, linger: 5_000 });
   */
  createFeed(config?: FeedConfig<Own>): EventFeed<Own>;
}

/** The options of `EventsApi.createFeed`. */
export interface FeedConfig<Own extends object = NoOwnEvents>
  extends WatchConfig<IdentityEventList<Own>>, EventFeedConfig {
  /**
   * Whether the next subscriber, after all others have left, continues where they stopped. Default
   * true.
   */
  readonly resume?: boolean;
  /**
   * Shares the watch with others, or pauses it: `whileAlive` and `acrossTabs()` of
   * `lobby-rx/browser`. `ack` is called only where the watch runs. Default: the feed has a separate
   * watch.
   */
  readonly share?: WatchSharing;
}

const FEED_OPTIONS: Options<FeedConfig> = {
  ...WATCH_OPTIONS,
  linger: milliseconds,
  resume: aBoolean,
  share: aFunction,
};

/** An endpoint of live events. */
type EventsEndpoint<Own extends object> = Endpoint<EventsWatchInput, IdentityEventList<Own>>;

export function createEventsApi<Own extends object>(context: ClientContext): EventsApi<Own> {
  return new EventsApiOfContext(context);
}

/** The methods can be used apart from the object. The feed is made when it is used first. */
class EventsApiOfContext<Own extends object> implements EventsApi<Own> {
  readonly #context: ClientContext;
  readonly #endpoint: EventsEndpoint<Own>;
  #feed: EventFeed<Own> | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.#endpoint = context.endpoints.eventsWatch as unknown as EventsEndpoint<Own>;
  }

  get feed(): EventFeed<Own> {
    this.#feed ??= feedOf(this.#context, this.#endpoint, {});
    return this.#feed;
  }

  readonly watch: EventsApi<Own>['watch'] = (input = {}) => request(this.#context, this.#endpoint, input);
  readonly batches: EventsApi<Own>['batches'] = config =>
    endpointAnswers(this.#context, this.#endpoint, {}, config);
  readonly createFeed: EventsApi<Own>['createFeed'] = (config = {}) =>
    feedOf(this.#context, this.#endpoint, config);
}

function feedOf<Own extends object>(
  context: ClientContext,
  endpoint: EventsEndpoint<Own>,
  config: FeedConfig<Own>,
): EventFeed<Own> {
  checkOptions<object>(config, FEED_OPTIONS);
  const { linger = context.linger, resume = true, share, ...watchConfig } = config;
  const { scheduler = context.scheduler } = config;
  const { kinds } = endpoint.response as Partial<EventListCodec<Own>>;
  const source = share
    ? sharedFeed(context, endpoint, { ...watchConfig, resume, share })
    : ownEvents(context, endpoint, watchConfig, resume);
  return audienceFeed(audience => unlessRendering(context, source(audience)), { linger, scheduler }, kinds);
}

/** The signals of a watch of events that is not shared, for the audience of a feed. */
function ownEvents<Own extends object>(
  context: ClientContext,
  endpoint: EventsEndpoint<Own>,
  config: WatchConfig<IdentityEventList<Own>>,
  resume: boolean,
): FeedSource<Own> {
  // `poll` by itself: each of thousands of feeds would keep the settings twice.
  const { poll, settings } = endpointWatch(context, endpoint, {}, config);
  const feedSettings = { ...settings, resume };
  let run: ReturnType<typeof continuingWatch<IdentityEventList<Own>>> | undefined;
  return audience => {
    run ??= continuingWatch(poll, feedSettings, audience);
    return context.life.heldWhileActive(run(), audience.isActive$);
  };
}
