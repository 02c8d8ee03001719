import type { Observable } from 'rxjs';
import type { EndpointInput, eventsWatch } from '../endpoint/index.js';
import type { IdentityEventList } from '../protocol/index.js';
import type { EventFeed, EventFeedConfig, WatchConfig } from '../stream/index.js';

/** The live events of the identity whose token the client has (interface document, 4.3 and 6). */
export interface EventsApi {
  /**
   * One answer of the event feed: cold, then complete; unsubscribing aborts. Without a `watch_index` it comes at once, is
   * empty, and says with its index where "now" is; with one it comes when something is new, or after 40–60 s.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.events.watch().subscribe(({ watch }) => console.log(watch.index));
   */
  watch(input?: EndpointInput<typeof eventsWatch>): Observable<IdentityEventList>;

  /**
   * The live events as they come, a batch for each answer that has any. Cold: each subscription is a watch of its own. It
   * never completes; `from` resumes from where an earlier one stood, and `ack` holds the next poll back until a batch has
   * been dealt with.
   *
   * Errors: only those that no further poll can mend, as `watch` says; all else is retried.
   *
   * @example
   * client.events.batches({ ack: (batch, checkpoint) => save(checkpoint) }).subscribe(({ events }) => apply(events));
   */
  batches(config?: WatchConfig<IdentityEventList>): Observable<IdentityEventList>;

  /** The client's one feed: a single poll, however many subscribe to whichever of its streams, and none when nobody does. */
  readonly feed: EventFeed;

  /**
   * A feed of its own, with a poll of its own.
   *
   * @example
   * const feed = client.events.createFeed({ from: savedIndex, linger: 5_000 });
   */
  createFeed(config?: WatchConfig<IdentityEventList> & EventFeedConfig): EventFeed;
}
