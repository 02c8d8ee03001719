import type { Observable } from 'rxjs';
import type { Endpoint, EndpointAnswer, EndpointInput, Pageable, Watchable } from '../endpoint/index.js';
import type { PagesConfig, WatchConfig, WatchSignal } from '../stream/index.js';
import type { EventsApi } from './events-api.js';
import type { GroupApi } from './group-api.js';
import type { MatchmakerApi } from './matchmaker-api.js';

/**
 * The service as streams, for one token: an identity's, or a lobby's. Nothing is sent before something is subscribed to.
 */
export interface Client {
  readonly group: GroupApi;
  readonly matchmaker: MatchmakerApi;
  readonly events: EventsApi;

  /** Asks an endpoint once: cold, one answer, then complete. See `endpoint`. */
  request<E extends Endpoint>(endpoint: E, input: EndpointInput<E>): Observable<EndpointAnswer<E>>;

  /** Watches an endpoint that takes a `watch_index` and answers with a `watch.index`. See `watch`. */
  watch<E extends Endpoint>(
    endpoint: E & Watchable<E>,
    input: Omit<EndpointInput<E>, 'watch_index'>,
    config?: WatchConfig<EndpointAnswer<E>>,
  ): Observable<EndpointAnswer<E>>;

  /** The same, with everything else that happens in the watch: gaps, and how it is doing. See `watchSignals`. */
  watchSignals<E extends Endpoint>(
    endpoint: E & Watchable<E>,
    input: Omit<EndpointInput<E>, 'watch_index'>,
    config?: WatchConfig<EndpointAnswer<E>>,
  ): Observable<WatchSignal<EndpointAnswer<E>>>;

  /** Walks through the pages of an endpoint that takes and gives an `anchor`. See `pages`. */
  pages<E extends Endpoint>(
    endpoint: E & Pageable<E>,
    input: Omit<EndpointInput<E>, 'anchor'>,
    config?: PagesConfig<EndpointAnswer<E>>,
  ): Observable<EndpointAnswer<E>>;
}
