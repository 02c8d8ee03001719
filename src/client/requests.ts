import { concat, defer, EMPTY, identity, ignoreElements, NEVER, startWith, tap, type Observable } from 'rxjs';
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
  definedOptions,
  fieldsOf,
  positiveInteger,
  type Options,
} from '../error/index.js';
import {
  backoff,
  continuingWatch,
  idle,
  watchSettings,
  type AnswerSettings,
  type OwnReading,
  type RetryConfig,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
  type WatchSignal,
} from '../stream/index.js';
import type { ClientContext } from './context.js';

/** The options of `Client.request`. */
export interface RequestConfig {
  /**
   * Whether the request has to be completed although the page that sends it goes away. Default
   * false.
   */
  readonly keepalive?: boolean;
  /** The maximum size of the answer's body, in bytes. Default: that of the transport. */
  readonly maxBody?: number;
}

const REQUEST_OPTIONS: Options<RequestConfig> = { keepalive: aBoolean, maxBody: positiveInteger };

/**
 * Sends one request to an endpoint (see `Client.request`). Throws an `InputError` if the config is
 * invalid.
 */
export function request<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: NoInfer<Input>,
  config?: RequestConfig,
): Observable<Answer> {
  checkOptions(config, REQUEST_OPTIONS);
  const { watch_index } = fieldsOf(input);
  const options = definedOptions(config);
  const sent$ =
    watch_index == null
      ? send(context.plain, endpoint, input, options)
      : send(context.blocking, endpoint, input, { ...options, kind: 'poll' });
  const route = context.quota.of(endpoint);
  if (!route) return sent$;
  // The request counts when it is sent, and is never delayed.
  return defer(() => {
    route.count();
    return sent$.pipe(tap({ error: (error: unknown) => route.heed(error) }));
  });
}

/**
 * How to poll an endpoint, and the settings of its watch. An option of the config replaces that of
 * the endpoint.
 */
interface EndpointWatch<Answer> {
  readonly poll: SinglePoll<Answer>;
  readonly settings: WatchSettings<Answer>;
}

/** Prepares watches of an endpoint. Throws an `InputError` if the config is invalid. */
export function endpointWatch<Input, Answer>(
  { polling, watch, quota, life }: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): EndpointWatch<Answer> {
  const { isEmpty, isState, keyOf, withoutNews } = Object(endpoint) as OwnReading<Answer> &
    Pick<AnswerSettings<Answer>, 'withoutNews'>;
  const settings = watchSettings<Answer>(
    { ...(watch as WatchConfig<Answer>), ...definedOptions(config) },
    definedOptions({
      reading: definedOptions({
        isEmpty,
        isState,
        keyOf,
        // `answerKey` takes less time, but leaves out only `watch`. With another `indexOf`, the
        // index is somewhere else.
        contentOf: config?.indexOf === undefined && config?.read === undefined ? answerKey : undefined,
      }),
      withoutNews,
      isIndex: cursorArgument.is,
      tryNow$: life.tryNow$,
      quota: quota.of(endpoint),
    }) as AnswerSettings<Answer>,
  );
  return {
    poll: (watch_index, { needsFreshConnection, onArrival, onSent, pollOf }) =>
      // A spread that adds a name would cost each input a separate hidden class in Node 20.
      requestText(polling, endpoint, Object.assign({}, input, { watch_index }) as Input, {
        kind: 'poll',
        needsFreshConnection,
        onArrival,
        onSent,
        pollOf,
      }),
    settings,
  };
}

/**
 * The signals of a watch of the client. If the client renders pages, nothing is sent, the watch is
 * `idle`, and it does not end.
 */
export function unlessRendering<A>(
  { renders, scheduler }: ClientContext,
  signal$: Observable<WatchSignal<A>>,
): Observable<WatchSignal<A>> {
  if (!renders) return signal$;
  return defer(() => NEVER.pipe(startWith({ kind: 'status' as const, status: idle(scheduler.now()) })));
}

/** The signals of a watch of an endpoint. Each subscription is a separate watch. */
export function endpointSignals<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): Observable<WatchSignal<Answer>> {
  const { poll, settings } = endpointWatch(context, endpoint, input, config);
  const signal$ = context.life.whileOpen(defer(() => continuingWatch(poll, settings)()));
  return unlessRendering(context, signal$);
}

/** The answers of such a watch. */
export function endpointAnswers<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): Observable<Answer> {
  const { poll, settings } = endpointWatch(context, endpoint, input, config);
  const signals$ = unlessRendering(
    context,
    defer(() => continuingWatch(poll, settings)()),
  );
  return context.life.forwardedWhileOpen<WatchSignal<Answer>, Answer>(signals$, (signal, subscriber) => {
    if (signal.kind === 'answer') subscriber.next(signal.answer);
  });
}

/** The options of reading the pages of an endpoint. */
export interface ClientPagesConfig<P> extends PagesConfig<P> {
  /**
   * Retries each page by itself. `{}` takes the defaults of `backoff`. Default: the first error
   * ends the paging.
   */
  readonly backoff?: RetryConfig;
}

/** Reads the pages of an endpoint. */
export function endpointPages<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  config: ClientPagesConfig<Answer> = {},
): Observable<Answer> {
  const { backoff: retrying, ...paging } = config;
  const { scheduler, testing } = context.watch;
  const retried = retrying
    ? backoff<Answer>({ ...(definedOptions({ scheduler, testing }) as RetryConfig), ...retrying })
    : identity;
  const page = (anchor: string | undefined) =>
    request(context, endpoint, { ...input, anchor } as Input).pipe(retried);
  return context.life.pagesWhileOpen(pages(page, paging), endpoint);
}

/** Reads pages for a watch. Each waits for the quota of its route. */
export function refreshedPages<Input, Answer>(
  context: ClientContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  paging: PagesConfig<Answer>,
): Observable<Answer> {
  const route = context.quota.of(endpoint);
  const room$ = route?.take('page').pipe(ignoreElements()) ?? EMPTY;
  // Like a poll, such a page survives a 401, and is no pending task of Angular.
  const page = (anchor: string | undefined) =>
    concat(room$, send(context.plain, endpoint, { ...input, anchor } as Input, { kind: 'poll' })).pipe(
      tap({ error: (error: unknown) => route?.heed(error) }),
    );
  return context.life.pagesWhileOpen(pages(page, paging), endpoint);
}
