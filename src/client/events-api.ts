import type { Observable } from 'rxjs';
import type { Endpoint, EventsWatchInput } from '../endpoint/index.js';
import type { IdentityEventList, NoOwnEvents } from '../protocol/index.js';
import {
  answers,
  eventFeed,
  type EventFeed,
  type EventFeedConfig,
  type WatchConfig,
} from '../stream/index.js';
import type { Calls } from './calls.js';
import type { ClientSettings } from './client-settings.js';
import { eventMemory } from './event-memory.js';
import { given } from './given.js';

/** The live events of the identity whose token the client has (interface document, 4.3 and 6). */
export interface EventsApi<Own extends object = NoOwnEvents> {
  /**
   * One answer of the event feed: cold, then complete; unsubscribing aborts. Without a `watch_index` it comes at once, is
   * empty, and its index says where "now" is; with one it comes when something is new, or after 40–60 s.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.events.watch().subscribe(({ watch }) => console.log(watch.index));
   */
  watch(input?: EventsWatchInput): Observable<IdentityEventList<Own>>;

  /**
   * The live events as they come, a batch for each answer that has any. Cold: each subscription is a watch of its own. It
   * never completes. `from` resumes from where an earlier one stood, and `ack` holds the next poll back until a batch has
   * been dealt with.
   *
   * Errors: only those that no further poll can mend, as `watch` says; everything else is retried.
   *
   * @example
   * client.events.batches({ ack: (batch, checkpoint) => save(checkpoint) }).subscribe(({ events }) => apply(events));
   */
  batches(config?: WatchConfig<IdentityEventList<Own>>): Observable<IdentityEventList<Own>>;

  /** The client's one feed: a single poll, however many subscribe to whichever of its streams, and none if nobody does. */
  readonly feed: EventFeed<Own>;

  /**
   * A feed of its own, with a poll of its own.
   *
   * @example
   * const feed = client.events.createFeed({ from: savedIndex, linger: 5_000 });
   */
  createFeed(config?: WatchConfig<IdentityEventList<Own>> & EventFeedConfig): EventFeed<Own>;
}

export function createEventsApi<Own extends object>(
  calls: Calls,
  { endpoints, feed: feedDefaults }: ClientSettings,
): EventsApi<Own> {
  type List = IdentityEventList<Own>;
  const eventsWatch = endpoints.eventsWatch as unknown as Endpoint<EventsWatchInput, List>;
  const isIdle = ({ events }: List) => events.length === 0;
  const signals = (config?: WatchConfig<List>) =>
    calls.signals(eventsWatch, {}, { isIdle, ...given(config) }, eventMemory<Own>);
  return {
    watch: (input = {}) => calls.request(eventsWatch, input),
    batches: config => signals(config).pipe(answers()),
    feed: eventFeed(signals(), feedDefaults),
    createFeed: ({ linger, ...config } = {}) =>
      eventFeed(signals(config), {
        ...feedDefaults,
        ...(config.scheduler && { scheduler: config.scheduler }),
        ...(linger !== undefined && { linger }),
      }),
  };
}
