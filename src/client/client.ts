import type { Observable } from 'rxjs';
import type { Endpoint, HttpMethod, Pageable, Watchable } from '../endpoint/index.js';
import type { EventCodecs, NoOwnEvents, PayloadsOf } from '../protocol/index.js';
import { answers, type PagesConfig, type WatchConfig, type WatchSignal } from '../stream/index.js';
import { createCalls } from './calls.js';
import type { ClientConfig } from './client-config.js';
import { clientSettings } from './client-settings.js';
import { createEventsApi, type EventsApi } from './events-api.js';
import { createGroupApi, type GroupApi } from './group-api.js';
import { createMatchmakerApi, type MatchmakerApi } from './matchmaker-api.js';

/**
 * The service as streams, for one token: an identity's, or a lobby's. Nothing is sent before something is subscribed to.
 * `Own` are the payloads of event kinds of your own.
 */
export interface Client<Own extends object = NoOwnEvents> {
  readonly group: GroupApi;
  readonly matchmaker: MatchmakerApi;
  readonly events: EventsApi<Own>;

  /**
   * Asks an endpoint once: cold, one answer, then complete; unsubscribing aborts. See `endpoint`.
   *
   * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.request(getMembers, { group_id }).subscribe(({ members }) => show(members));
   */
  request<Input, Answer>(endpoint: Endpoint<Input, Answer>, input: NoInfer<Input>): Observable<Answer>;

  /**
   * Watches a GET that takes a `watch_index` and answers with a `watch.index`: one value for each answer with news. Cold; it
   * never completes, and ends only with an error that no further poll can mend. See `watch`.
   *
   * @example
   * client.watch(getMembers, { group_id }).subscribe(({ members }) => show(members));
   */
  watch<Input, Answer, Method extends HttpMethod>(
    endpoint: Endpoint<Input, Answer, Method> & Watchable<Input, Answer, Method>,
    input: Omit<Input, 'watch_index'>,
    config?: WatchConfig<NoInfer<Answer>>,
  ): Observable<Answer>;

  /** The same, with everything else that happens in the watch: gaps, and how it is doing. See `watchSignals`. */
  watchSignals<Input, Answer, Method extends HttpMethod>(
    endpoint: Endpoint<Input, Answer, Method> & Watchable<Input, Answer, Method>,
    input: Omit<Input, 'watch_index'>,
    config?: WatchConfig<NoInfer<Answer>>,
  ): Observable<WatchSignal<Answer>>;

  /**
   * Walks through the pages of an endpoint that takes and gives an `anchor`. Cold and lazy; it completes after the last page.
   * See `pages`.
   *
   * @example
   * client.pages(getMembers, { group_id }).subscribe(({ members }) => show(members));
   */
  pages<Input, Answer>(
    endpoint: Endpoint<Input, Answer> & Pageable<Input, Answer>,
    input: Omit<Input, 'anchor'>,
    config?: PagesConfig<NoInfer<Answer>>,
  ): Observable<Answer>;
}

/**
 * A client of the Lobby, Group and Identity Event service. It speaks for one token: an identity's, or a lobby's. Making one
 * sends nothing; its Observables do when they are subscribed to.
 *
 * Throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * const client = createClient({ url: 'https://api.example.com', token: () => session.token });
 * client.events.feed.lobbyJoin$.subscribe(join => connect(lobbyAddress(join).url));
 */
export function createClient<const Codecs extends EventCodecs = NoOwnEvents>(
  config: ClientConfig<Codecs>,
): Client<PayloadsOf<Codecs>> {
  const settings = clientSettings(config);
  const calls = createCalls(settings);
  return {
    group: createGroupApi(calls, settings),
    matchmaker: createMatchmakerApi(calls, settings),
    events: createEventsApi<PayloadsOf<Codecs>>(calls, settings),
    request: calls.request,
    watch: (endpoint, input, options) => calls.signals(endpoint, input, options).pipe(answers()),
    watchSignals: (endpoint, input, options) => calls.signals(endpoint, input, options),
    pages: calls.pages,
  };
}
