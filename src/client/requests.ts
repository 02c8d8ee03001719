import { defer, EMPTY, identity, timer, type Observable } from 'rxjs';
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
  type Options,
} from '../error/index.js';
import {
  backoff,
  continuingWatch,
  watchSettings,
  type AnswerSettings,
  type Clocks,
  type RetryConfig,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
  type WatchSignal,
} from '../stream/index.js';
import type { TransportRequest } from '../transport/index.js';
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
  if (watch_index == null) return send(context.plain, endpoint, input, options);
  return send(context.blocking, endpoint, input, { ...options, kind: 'poll' });
}

/** How to poll an endpoint, and the settings of a watch: those of the config, else the endpoint's. */
interface EndpointWatch<Answer> {
  readonly poll: SinglePoll<Answer>;
  /** Each watch has a quota of its own. */
  readonly settings: () => WatchSettings<Answer>;
}

/** Prepares watches of an endpoint. Throws an `InputError` if the config is invalid. */
export function endpointWatch<Input, Answer>(
  { polling, watch }: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'watch_index'>,
  config?: WatchConfig<Answer>,
): EndpointWatch<Answer> {
  const { isIdle, keyOf = answerKey, withoutNews } = Object(endpoint) as AnswerSettings<Answer>;
  const settings = watchSettings<Answer>(
    { ...(watch as WatchConfig<Answer>), ...given(config) },
    given({ isIdle, keyOf, withoutNews, isIndex: cursorArgument.is }) as AnswerSettings<Answer>,
  );
  return {
    poll: (watch_index, { needsFreshConnection, onArrival, onSent, pollOf }) =>
      // A name that a spread adds to would cost each input a hidden class of its own in V8.
      requestText(polling, endpoint, Object.assign({}, input, { watch_index }) as Input, {
        kind: 'poll',
        ...{ needsFreshConnection, onArrival, onSent, pollOf },
      }),
    settings: () => ({ ...settings, permit: settings.permit ?? pollQuota(settings) }),
  };
}

/** The service serves 1,920 polls from an address in windows of this length, in ms. */
const WINDOW = 900_000;

/** So many polls in a window are sent as fast as news comes. */
const FREE_POLLS = 1_500;

/** The others are spread over what is left of the window, which may start at another time than the service's. */
const POLLS = 1_900;

/**
 * A permit for the polls of one watch, so that it alone keeps within the quota of its address, however much news there is. Many
 * watches behind one address need a `permit` that they share.
 */
function pollQuota({ scheduler, monotonic }: Clocks): () => Observable<unknown> {
  let windowFrom = -Infinity;
  let polls = 0;
  let lastAt = -Infinity;
  return () => {
    const now = monotonic.now();
    if (now - windowFrom >= WINDOW) {
      windowFrom = now;
      polls = 0;
    }
    const interval = (windowFrom + WINDOW - now) / Math.max(1, POLLS - polls);
    const wait = ++polls > FREE_POLLS ? Math.max(0, lastAt + interval - now) : 0;
    lastAt = now + wait;
    return wait > 0 ? timer(wait, scheduler) : EMPTY;
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
  return defer(() => continuingWatch(poll, settings())());
}

/** The options of reading the pages of an endpoint. */
export interface ClientPagesConfig<P> extends PagesConfig<P> {
  /** Retries each page by itself; `{}` for the defaults of `backoff`. Default: the first error ends the walk. */
  readonly backoff?: RetryConfig;
}

/** Reads the pages of an endpoint. `kind` is set if they are read for a watch. */
export function endpointPages<Input, Answer>(
  context: LobbyContext,
  endpoint: Endpoint<Input, Answer>,
  input: Omit<Input, 'anchor'>,
  config: ClientPagesConfig<Answer> = {},
  kind?: TransportRequest['kind'],
): Observable<Answer> {
  const { backoff: retrying, ...paging } = config;
  const { scheduler, testing } = context.watch;
  const retried = retrying
    ? backoff<Answer>({ ...(given({ scheduler, testing }) as RetryConfig), ...retrying })
    : identity;
  const page = (anchor: string | undefined) => ({ ...input, anchor }) as Input;
  const sent = (input: Input) =>
    kind ? send(context.plain, endpoint, input, { kind }) : request(context, endpoint, input);
  return pages(anchor => sent(page(anchor)).pipe(retried), paging);
}
