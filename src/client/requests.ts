import { concat, defer, EMPTY, identity, ignoreElements, Observable, tap, timer } from 'rxjs';
import {
  answerKey,
  pages,
  request as send,
  requestText,
  type Endpoint,
  type PagesConfig,
} from '../endpoint/index.js';
import {
  aBoolean,
  checkOptions,
  cursorArgument,
  given,
  positiveInteger,
  TransportError,
  type Options,
} from '../error/index.js';
import {
  backoff,
  continuingWatch,
  watchSettings,
  type AnswerSettings,
  type RetryConfig,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
  type WatchSignal,
} from '../stream/index.js';
import type { RouteBudget } from './budget.js';
import type { LobbyContext } from './context.js';

/** The options of `Client.request`. */
export interface RequestConfig {
  /** The request has to be completed although the page that sends it goes away. Default false. */
  readonly keepalive?: boolean;
  /** The maximum size of the answer's body, in bytes. Default: that of the transport. */
  readonly maxBody?: number;
}

const REQUEST_OPTIONS: Options<RequestConfig> = { keepalive: aBoolean, maxBody: positiveInteger };

/** Sends one request to an endpoint: see `Client.request`. Throws an `InputError` if the config is invalid. */
export function request<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: NoInfer<Input>,
  config?: RequestConfig,
): Observable<Answer> {
  checkOptions(config, REQUEST_OPTIONS);
  const { watch_index } = Object(input) as { watch_index?: unknown };
  const options = given(config ?? {});
  const sent$ =
    watch_index == null
      ? send(context.plain, endpoint, input, options)
      : send(context.blocking, endpoint, input, { ...options, kind: 'poll' });
  const budget = context.budget.of(endpoint);
  return budget ? counted(sent$, budget) : sent$;
}

/** A request that counts when it is sent, and is never delayed. */
function counted<A>(sent$: Observable<A>, budget: RouteBudget): Observable<A> {
  return new Observable(subscriber => {
    budget.count();
    return sent$.subscribe(subscriber);
  });
}

/** How to poll an endpoint, and the settings of a watch: those of the config, else the endpoint's. */
interface EndpointWatch<Answer> {
  readonly poll: SinglePoll<Answer>;
  readonly settings: WatchSettings<Answer>;
}

/** Prepares watches of an endpoint. Throws an `InputError` if the config is invalid. */
export function endpointWatch<Input, Answer>(
  { polling, watch, budget, life }: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): EndpointWatch<Answer> {
  const { isIdle, keyOf = answerKey, withoutNews } = Object(endpoint) as AnswerSettings<Answer>;
  const route = budget.of(endpoint);
  const settings = watchSettings<Answer>(
    { ...(watch as WatchConfig<Answer>), ...given(config) },
    given({
      ...{ isIdle, keyOf, withoutNews, isIndex: cursorArgument.is },
      budget: route && (latest => route.poll(latest)),
    }) as AnswerSettings<Answer>,
  );
  return {
    poll: (watch_index, { needsFreshConnection, onArrival, onSent, pollOf }) =>
      // A name that a spread adds to would cost each input a hidden class of its own in V8.
      requestText(polling, endpoint, Object.assign({}, input, { watch_index }) as Input, {
        kind: 'poll',
        ...{ needsFreshConnection, onArrival, onSent, pollOf },
      }),
    settings: { ...settings, wake$: life.wakes(defer(() => settings.wake$)) },
  };
}

/** Everything that happens in a watch of an endpoint. Each subscription is a separate watch. */
export function endpointSignals<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): Observable<WatchSignal<Answer>> {
  const { poll, settings } = endpointWatch(context, endpoint, input, config);
  return context.life.whileOpen(defer(() => continuingWatch(poll, settings)()));
}

/** The options of reading the pages of an endpoint. */
export interface ClientPagesConfig<P> extends PagesConfig<P> {
  /** Retries each page by itself; `{}` for the defaults of `backoff`. Default: the first error ends the walk. */
  readonly backoff?: RetryConfig;
}

/** Reads the pages of an endpoint. Those that are read `forWatch` wait for the budget of their route. */
export function endpointPages<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  config: ClientPagesConfig<Answer> = {},
  forWatch = false,
): Observable<Answer> {
  const { backoff: retrying, ...paging } = config;
  const { scheduler, testing } = context.watch;
  const retried = retrying
    ? backoff<Answer>({ ...(given({ scheduler, testing }) as RetryConfig), ...retrying })
    : identity;
  const sent = (input: Input) =>
    forWatch
      ? promised(send(context.plain, endpoint, input, { kind: 'poll' }), context, endpoint)
      : request(context, endpoint, input);
  const page$ = pages(anchor => sent({ ...input, anchor } as Input).pipe(retried), paging);
  // Between two pages, too, while it waits.
  const { method, path: url } = endpoint;
  const error = () => new TransportError('closed', 'the client is closed', { method, url });
  return context.life.orFail(page$, error);
}

/** A request that is sent as soon as there is room in the budget of its route. */
function promised<A>(
  sent$: Observable<A>,
  { budget, watch }: LobbyContext,
  endpoint: Endpoint<never>,
): Observable<A> {
  const route = budget.of(endpoint);
  if (!route) return sent$;
  const room$ = defer(() => {
    const { wait, cancel } = route.page();
    if (wait <= 0) return EMPTY;
    return timer(wait, watch.scheduler).pipe(ignoreElements(), tap({ unsubscribe: cancel }));
  });
  return concat(room$, sent$);
}
