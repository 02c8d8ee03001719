import { decodeAnswer, eventsWatch, type Endpoint, type EventsWatchInput } from '../endpoint/index.js';
import {
  aBoolean,
  aFunction,
  checkArgument,
  checkOptions,
  given,
  milliseconds,
  type Options,
} from '../error/index.js';
import type { IdentityEventList, NoOwnEvents } from '../protocol/index.js';
import {
  abandoned,
  answers,
  eventFeed,
  movedTo,
  WATCH_OPTIONS,
  type Audience,
  type Checkpoint,
  type EventFeed,
  type EventFeedConfig,
  type ResumableWatch,
  type WatchConfig,
  type WatchSharing,
  type WatchSignal,
} from '../stream/index.js';
import type { Observable } from 'rxjs';
import { aContext, type LobbyContext } from './context.js';
import { EventMemory, isIdle, type AnyEventList } from './event-memory.js';
import { continuedEndpointSignals, type AnswerContinuity } from './requests.js';
import { sharedSignals } from './shared-signals.js';

/** The options of {@link feed}. */
export interface FeedConfig<Own extends object = NoOwnEvents>
  extends WatchConfig<IdentityEventList<Own>>, EventFeedConfig {
  /** Whether a subscriber who comes after all others have left continues where they left. Default true. */
  readonly resume?: boolean;
  /**
   * Shares the watch with others, or pauses it: `whileAlive` and `acrossTabs()` of `lobby-rx/browser`. `ack` is called only where
   * the watch runs. Default: the feed has a watch of its own.
   */
  readonly share?: WatchSharing;
}

const FEED_OPTIONS: Options<FeedConfig> = {
  ...WATCH_OPTIONS,
  ...{ linger: milliseconds, resume: aBoolean, share: aFunction },
};

/** An endpoint of live events. */
export type EventsEndpoint<Own extends object> = Endpoint<EventsWatchInput, IdentityEventList<Own>>;

/**
 * The live events of the identity that the token of the context belongs to, with one poll for all subscribers. See `EventFeed`,
 * and `client.events.feed`. An endpoint of your own may have kinds of events that you declare with `identityEventList`.
 *
 * Throws an `InputError` if the context or the config is invalid.
 *
 * @example
 * feed(context).identityUpdate$.subscribe(({ identity }) => show(identity));
 */
export function feed<Own extends object = NoOwnEvents>(
  context: LobbyContext,
  config: FeedConfig<Own> = {},
  endpoint: EventsEndpoint<Own> = eventsWatch as unknown as EventsEndpoint<Own>,
): EventFeed<Own> {
  checkArgument('context', aContext, context);
  checkOptions<object>(config, FEED_OPTIONS);
  const { linger, resume = true, share, ...watchConfig } = config;
  const feedConfig = {
    ...context.feed,
    ...(watchConfig.scheduler && { scheduler: watchConfig.scheduler }),
    ...(linger !== undefined && { linger }),
  };
  const source = share
    ? sharedSource(context, endpoint, watchConfig, share, resume)
    : ownSource(context, endpoint, watchConfig, resume);
  return eventFeed<Own>(source, feedConfig);
}

/** The signals of a feed for an audience. */
type Source<Own extends object> = (
  audience: Audience<IdentityEventList<Own>>,
) => Observable<WatchSignal<IdentityEventList<Own>>>;

function ownSource<Own extends object>(
  context: LobbyContext,
  endpoint: EventsEndpoint<Own>,
  config: WatchConfig<IdentityEventList<Own>>,
  resume: boolean,
): Source<Own> {
  let continuity: AnswerContinuity<IdentityEventList<Own>> | undefined;
  const signals$ = eventSignals(context, endpoint, config, () => continuity!);
  return audience => {
    continuity ??= { memory: eventMemory(endpoint), audience };
    if (!resume && continuity.place) continuity.place = abandoned(continuity.place);
    return signals$;
  };
}

function sharedSource<Own extends object>(
  context: LobbyContext,
  endpoint: EventsEndpoint<Own>,
  config: WatchConfig<IdentityEventList<Own>>,
  share: WatchSharing,
  resume: boolean,
): Source<Own> {
  const now = () => context.scheduler.now();
  const from = () => startOf(config.from, now());
  let last: AnswerContinuity<IdentityEventList<Own>> | undefined;
  const watch: ResumableWatch<IdentityEventList<Own>> = position =>
    eventSignals(context, endpoint, { ...config, from: null, ...position }, () => {
      const place = last?.place && movedTo(last.place, position.from);
      // Not the memory of the last run, which may have been stopped before it could tell what it remembers.
      return (last = { memory: eventMemory(endpoint), place });
    });
  // Checks the config now, not at the first subscription.
  watch({});
  let signals$: ReturnType<typeof watch> | undefined;
  return audience => (signals$ ??= sharedSignals(watch, audience, { share, from, resume, now }));
}

/** Where to begin. The age of an index alone is unknown: it counts as new. */
function startOf(from: WatchConfig<never>['from'], at: number): Checkpoint | undefined {
  return typeof from === 'string' ? { index: from, at } : (from ?? undefined);
}

/** The live events in batches. Each subscription is a watch of its own. */
export function batches<List extends AnyEventList>(
  context: LobbyContext,
  config: WatchConfig<List> | undefined,
  endpoint: Endpoint<EventsWatchInput, List>,
): Observable<List> {
  return eventSignals(context, endpoint, config).pipe(answers());
}

/** Everything that happens in a watch of live events. */
export function eventSignals<List extends AnyEventList>(
  context: LobbyContext,
  endpoint: Endpoint<EventsWatchInput, List>,
  config: WatchConfig<List> | undefined,
  continuity: () => AnswerContinuity<List> = () => ({ memory: eventMemory(endpoint) }),
): Observable<WatchSignal<List>> {
  return continuedEndpointSignals(context, endpoint, {}, { isIdle, ...given(config) }, continuity);
}

function eventMemory<List extends AnyEventList>(
  endpoint: Endpoint<EventsWatchInput, List>,
): EventMemory<List> {
  return new EventMemory(wire => decodeAnswer(endpoint, wire));
}
