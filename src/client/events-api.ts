import type { Observable } from 'rxjs';
import type { Endpoints, EventsWatchInput } from '../endpoint/index.js';
import type { IdentityEventList, NoOwnEvents } from '../protocol/index.js';
import type { EventFeed, WatchConfig } from '../stream/index.js';
import type { LobbyContext } from './context.js';
import { batches, feed, type EventsEndpoint, type FeedConfig } from './feed.js';
import { request } from './requests.js';

/** The live events of the identity that the client's token belongs to (interface document, 4.3 and 6). */
export interface EventsApi<Own extends object = NoOwnEvents> {
  /**
   * Requests events once. Cold: emits one answer and completes. Unsubscribing aborts. Without a `watch_index` the answer comes
   * immediately, without events; its index marks the current position. With a `watch_index` it comes once there are newer
   * events, or without events after 40–60 s.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.events.watch().subscribe(({ watch }) => console.log(watch.index));
   */
  watch(input?: EventsWatchInput): Observable<IdentityEventList<Own>>;

  /**
   * The live events in batches, one for each answer with events. Cold: each subscription is a separate watch. It completes
   * only if `ack` decides so. `from` resumes from an earlier index or checkpoint. `ack` delays the next poll until a batch has
   * been processed: without it, `concatMap` queues batches without a bound if it is slower than the service.
   *
   * Errors: only those that polling again cannot fix; everything else is retried. See `watch`.
   *
   * @example
   * client.events.batches({ ack: (batch, checkpoint) => save(checkpoint) }).subscribe(({ events }) => apply(events));
   */
  batches(config?: WatchConfig<IdentityEventList<Own>>): Observable<IdentityEventList<Own>>;

  /**
   * The client's shared feed: one poll for all subscribers of all its streams, and none while there are no subscribers. It
   * keeps its place while the client lives: who comes back continues where the last subscriber left.
   */
  readonly feed: EventFeed<Own>;

  /**
   * Creates a separate feed with its own poll and its own place. With `resume: false`, it does not keep its place: each first
   * subscriber starts from now, with a gap if there was one before.
   *
   * @example
   * const feed = client.events.createFeed({ from: savedIndex, linger: 5_000 });
   */
  createFeed(config?: FeedConfig<Own>): EventFeed<Own>;
}

export function createEventsApi<Own extends object>(
  context: LobbyContext,
  endpoints: Endpoints,
): EventsApi<Own> {
  const eventsWatch = endpoints.eventsWatch as unknown as EventsEndpoint<Own>;
  let shared: EventFeed<Own> | undefined;
  return {
    watch: (input = {}) => request(context, eventsWatch, input),
    batches: config => batches(context, config, eventsWatch),
    // Not before it is used: a process may have a client for each of thousands of identities.
    get feed() {
      return (shared ??= feed(context, {}, eventsWatch));
    },
    createFeed: config => feed(context, config, eventsWatch),
  };
}
