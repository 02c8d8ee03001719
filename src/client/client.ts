import type { Observable, SchedulerLike } from 'rxjs';
import type { Endpoint, HttpMethod, Pageable, Watchable } from '../endpoint/index.js';
import { checkOptions, type Options, type UnauthorizedError } from '../error/index.js';
import type { EventCodecs, NoOwnEvents, PayloadsOf } from '../protocol/index.js';
import type { WatchConfig, WatchSignal } from '../stream/index.js';
import type { Token } from '../transport/index.js';
import type { ClientConfig } from './client-config.js';
import { createContext, type ClientContext } from './context.js';
import { endpointAnswers, endpointSignals } from './endpoint-watch.js';
import { createEventsApi, type EventsApi } from './events-api.js';
import { createGroupApi, type GroupApi } from './group/index.js';
import { createMatchmakerApi, type MatchmakerApi } from './matchmaker-api.js';
import { endpointPages, request, type ClientPagesConfig, type RequestConfig } from './requests.js';

/**
 * The service as streams, for one token of an identity or a lobby. Nothing is sent until an
 * Observable is subscribed to. `Own` has the payloads of your own event kinds.
 */
export interface Client<Own extends object = NoOwnEvents> {
  readonly group: GroupApi;
  readonly matchmaker: MatchmakerApi;
  readonly events: EventsApi<Own>;

  /**
   * Sends one request to an endpoint. It is cold. It emits one answer and completes. Unsubscribing
   * aborts the request. See `endpoint`.
   *
   * Errors: `InputError` before anything is sent, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.request(getMembers, { group_id }).subscribe(({ members }) => show(members));
   */
  request<Input, Answer>(
    endpoint: Endpoint<Input, Answer>,
    input: NoInfer<Input>,
    config?: RequestConfig,
  ): Observable<Answer>;

  /**
   * Watches a GET endpoint that takes a `watch_index` and answers with a `watch.index`. Emits each
   * answer with news. It is cold. It completes only if `ack` decides so, or the client is closed.
   * It ends only with an error that polling again cannot fix. See `watch`.
   *
   * @example
   * client.watch(getMembers, { group_id }).subscribe(({ members }) => show(members));
   */
  watch<Input, Answer, Method extends HttpMethod>(
    endpoint: Endpoint<Input, Answer, Method> & Watchable<Input, Answer, Method>,
    input: Omit<Input, 'watch_index'>,
    config?: WatchConfig<NoInfer<Answer>>,
  ): Observable<Answer>;

  /**
   * Like `watch`, but also emits the gaps and the status of the watch. See `watchSignals`.
   *
   * @example
   * client.watchSignals(getMembers, { group_id }).subscribe(signal => console.log(signal.kind));
   */
  watchSignals<Input, Answer, Method extends HttpMethod>(
    endpoint: Endpoint<Input, Answer, Method> & Watchable<Input, Answer, Method>,
    input: Omit<Input, 'watch_index'>,
    config?: WatchConfig<NoInfer<Answer>>,
  ): Observable<WatchSignal<Answer>>;

  /**
   * Reads the pages of an endpoint whose input and answer have an `anchor`. It is cold and lazy,
   * and completes after the last page. See `pages`. With `backoff`, each page is retried by itself.
   *
   * @example
   * client.pages(getMembers, { group_id }).subscribe(({ members }) => show(members));
   */
  pages<Input, Answer>(
    endpoint: Endpoint<Input, Answer> & Pageable<Input, Answer>,
    input: Omit<Input, 'anchor'>,
    config?: ClientPagesConfig<NoInfer<Answer>>,
  ): Observable<Answer>;

  /**
   * A client for the token of another identity or lobby. It shares transport, URLs and all other
   * options with this client, but no feed, and takes little memory. Throws an `InputError` if the
   * token is invalid.
   *
   * @example
   * client
   *   .as(() => tokenOf(identity_id))
   *   .events.batches()
   *   .subscribe(({ events }) => apply(events));
   */
  as(token: Token): Client<Own>;

  /**
   * Tries now, for a button for example. The watches, feeds and rosters of this client poll on a
   * new connection, except where the service has asked for a wait. They poll within a second, or
   * within 1 ms for each watch of the process if there are more than 1,000.
   *
   * @example
   * retryButton.onclick = () => client.wake();
   */
  wake(): void;

  /**
   * Ends everything, for a sign-out. Watches, feeds and rosters complete, now and whenever they are
   * subscribed to later. An open or later request fails with a `TransportError` whose reason is
   * `client_closed`. So does the paging through an endpoint. An open POST fails with `lost`, since
   * it may have been done. An `ack` that has not settled is unsubscribed from. Clients of `as` are
   * independent.
   *
   * With `requests: 'drop'`, requests and paging are unsubscribed from instead. A client that
   * `renders` always does so, and its watches do not complete either: an error that a page does not
   * handle would end the server.
   *
   * @example
   * signOut$.subscribe(() => client.close());
   */
  close(how?: { readonly requests?: 'fail' | 'drop' }): void;

  /**
   * Emits the error of each token that is refused, once, whichever request was refused. It is the
   * one place to show *sign in again*. It also emits, once, if nobody is signed in. It only
   * observes, and completes with `close()`.
   *
   * @example
   * client.unauthorized$.subscribe(() => showSignIn());
   */
  readonly unauthorized$: Observable<UnauthorizedError>;

  /**
   * Emits once the client is closed, before its streams complete. Emits at once if it already is.
   */
  readonly closed$: Observable<void>;

  /** The clock of this client (`scheduler` in its config). */
  readonly scheduler: SchedulerLike;

  /**
   * How long a shared feed keeps polling after its last subscriber has left, in ms (`watch.linger`
   * in the config).
   */
  readonly linger: number;

  /**
   * Whether this client is for rendering pages on a server, and so polls nothing (`renders` in its
   * config). `undefined` if the config does not say.
   */
  readonly renders: boolean | undefined;
}

/**
 * Creates a client of the Lobby, Group and Identity Event service for one token of an identity or a
 * lobby. The client sends nothing by itself. Its Observables send requests when they are subscribed
 * to.
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
  return new ClientOfContext<PayloadsOf<Codecs>>(createContext(config));
}

const CLOSE_OPTIONS: Options<{ readonly requests?: 'fail' | 'drop' }> = {
  requests: { name: "'fail' or 'drop'", is: u => u === 'fail' || u === 'drop' },
};

/**
 * A class, since an object with its own getters takes 2 KB more, and a server has thousands of
 * clients. The methods can be used apart from the client.
 */
class ClientOfContext<Own extends object> implements Client<Own> {
  readonly #context: ClientContext;
  #group: Client<Own>['group'] | undefined;
  #matchmaker: Client<Own>['matchmaker'] | undefined;
  #unauthorized$: Client<Own>['unauthorized$'] | undefined;
  readonly events: Client<Own>['events'];
  readonly scheduler: SchedulerLike;
  readonly linger: number;
  readonly renders: boolean | undefined;

  constructor(context: ClientContext) {
    this.#context = context;
    this.events = createEventsApi<Own>(context);
    this.scheduler = context.scheduler;
    this.linger = context.linger;
    this.renders = context.renders;
  }

  get group(): Client<Own>['group'] {
    this.#group ??= createGroupApi(this.#context);
    return this.#group;
  }
  get matchmaker(): Client<Own>['matchmaker'] {
    this.#matchmaker ??= createMatchmakerApi(this.#context);
    return this.#matchmaker;
  }
  get unauthorized$(): Client<Own>['unauthorized$'] {
    this.#unauthorized$ ??= this.#context.life.whileOpen(this.#context.unauthorized$);
    return this.#unauthorized$;
  }
  get closed$(): Client<Own>['closed$'] {
    return this.#context.life.closed$;
  }
  readonly request: Client<Own>['request'] = (endpoint, input, options) =>
    request(this.#context, endpoint, input, options);
  readonly watch: Client<Own>['watch'] = (endpoint, input, options) =>
    endpointAnswers(this.#context, endpoint, input, options);
  readonly watchSignals: Client<Own>['watchSignals'] = (endpoint, input, options) =>
    endpointSignals(this.#context, endpoint, input, options);
  readonly pages: Client<Own>['pages'] = (endpoint, input, options) =>
    endpointPages(this.#context, endpoint, input, options);
  readonly as: Client<Own>['as'] = token => new ClientOfContext(this.#context.as(token));
  readonly wake = (): void => this.#context.life.wake();
  readonly close: Client<Own>['close'] = (how = {}) => {
    checkOptions(how, CLOSE_OPTIONS);
    this.#context.life.close(how.requests === 'drop');
  };
}
