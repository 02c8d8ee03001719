import { asyncScheduler, type SchedulerLike, type TimestampProvider } from 'rxjs';
import type { BaseUrls, RequestContext } from '../endpoint/index.js';
import {
  aBoolean,
  aFunction,
  checkArgument,
  checkOptions,
  clock,
  given,
  InputError,
  milliseconds,
  plainObject,
  schedulerLike,
  type Check,
  type Guard,
  type Options,
} from '../error/index.js';
import {
  defaultWake,
  monotonicClock,
  WATCH_OPTIONS,
  watchSettings,
  type BackoffConfig,
  type EventFeedConfig,
  type WatchConfig,
  type WatchLogEntry,
} from '../stream/index.js';
import {
  fromFetch,
  withDeadline,
  withLog,
  withToken,
  type RequestLogEntry,
  type Token,
  type Transport,
} from '../transport/index.js';
import { baseUrl } from './base-url.js';

/** An entry of a client's log: about a request (with a `requestId`) or about a watch (with a `watchId`). */
export type LogEntry = RequestLogEntry | WatchLogEntry;

/** The options of {@link createContext}. A URL and the token are required; everything else is optional. */
export interface ContextConfig {
  /** The base URL of all three services, if they share one. It may include a path. */
  readonly url?: string;
  /** {group_url} of the interface document. Default: `url`. URLs of services that are not used may be omitted. */
  readonly groupUrl?: string;
  /** {matchmaker_url} of the interface document. Default: `url`. */
  readonly matchmakerUrl?: string;
  /** {api_url} of the interface document. Default: `url`. */
  readonly apiUrl?: string;
  /**
   * The bearer token of an identity or a lobby, or a function that returns it and is called before each request; `false` if
   * something else adds it.
   */
  readonly token: Token;
  /** Allows plain http: to other machines. Default false, because it exposes the token to everyone on the network. */
  readonly insecure?: boolean;
  /** How long a request that does not block may take, in ms. Default 15,000. */
  readonly deadline?: number;
  /** Default options of all watches; a call can override them. `wake$` is `clockJumps()` by default, in a page `pageWake()`. */
  readonly watch?: Pick<WatchConfig<unknown>, 'wake$' | 'deadline' | 'minInterval' | 'burst' | 'retention'>;
  /** How long watches wait after a failure; see `backoff`. */
  readonly backoff?: BackoffConfig;
  /** How long a feed keeps polling after its last subscriber has unsubscribed, in ms. Default 1,000. */
  readonly linger?: number;
  /** How requests are carried. Default `fromFetch()`. */
  readonly transport?: Transport;
  /** Called for each request and after each poll of a watch. Entries contain no tokens. Errors are swallowed. */
  readonly log?: (entry: LogEntry) => void;
  /** Returns a random number from 0 to 1, excluding 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** A clock that is never set back, in ms, for durations. Default `performance`; with another scheduler, that scheduler. */
  readonly monotonic?: TimestampProvider;
}

const transportFunction: Guard<Transport> = {
  name: 'a function from a request to an Observable, such as fromFetch() returns',
  is: (u): u is Transport => typeof u === 'function',
};
/** Checked in detail elsewhere. */
const anything: Check = { name: 'anything', is: () => true };

/** A check for each option of {@link ContextConfig}. */
export const CONTEXT_OPTIONS: Options<ContextConfig> = {
  url: anything,
  groupUrl: anything,
  matchmakerUrl: anything,
  apiUrl: anything,
  token: anything,
  insecure: aBoolean,
  deadline: milliseconds,
  watch: plainObject,
  backoff: plainObject,
  linger: milliseconds,
  transport: transportFunction,
  log: aFunction,
  random: aFunction,
  scheduler: schedulerLike,
  monotonic: clock,
};
const { wake$, deadline, minInterval, burst, retention } = WATCH_OPTIONS;
const CONTEXT_WATCH_OPTIONS: Options<NonNullable<ContextConfig['watch']>> = {
  ...{ wake$, deadline, minInterval, burst, retention },
};

/** How to reach the service with one token. Created by {@link createContext}. */
export interface LobbyContext {
  /** For requests that do not block. */
  readonly plain: RequestContext;
  /** For single requests that block because they have an index. */
  readonly blocking: RequestContext;
  /** For the polls of a watch, which enforces their deadline itself. */
  readonly polling: RequestContext;
  readonly watch: WatchConfig<unknown>;
  readonly feed: EventFeedConfig;
  readonly scheduler: SchedulerLike;
  readonly monotonic: TimestampProvider;
  /** The same for another token. It shares everything else. Throws an `InputError` if the token is invalid. */
  readonly as: (token: Token) => LobbyContext;
}

/** Says so if something else is given, such as a client. */
export const aContext: Guard<LobbyContext> = {
  name: 'what createContext() returns',
  is: (u): u is LobbyContext => plainObject.is(u) && plainObject.is(u.polling) && plainObject.is(u.feed),
};

/**
 * Creates what the functions {@link request} and {@link feed} need to reach the service with one token. It takes the options of
 * `createClient` except for `endpoints` and `events`, and sends nothing. Use these functions if every byte of a page counts: what
 * is not imported is not in its bundle. `createClient` is made of them.
 *
 * Throws an `InputError` if an option is unknown or invalid.
 *
 * @example
 * const context = createContext({ url: 'https://api.example.com', token: () => session.token });
 * feed(context).lobbyJoin$.subscribe(join => connect(lobbyAddress(join).url));
 */
export function createContext(config: ContextConfig): LobbyContext {
  checkArgument('config', plainObject, config);
  checkOptions(config, CONTEXT_OPTIONS);
  checkOptions(config.watch, CONTEXT_WATCH_OPTIONS, 'watch');
  const { log, random, backoff, linger, deadline = 15_000, scheduler = asyncScheduler } = config;
  const { transport = fromFetch({ scheduler }), monotonic = monotonicClock(scheduler) } = config;
  const baseUrls = resolveUrls(config);
  const now = () => scheduler.now();
  const logged = log ? withLog(transport, log, now) : transport;
  const sendingBy = (transport: Transport): RequestContext => ({ transport, baseUrls, now });

  const watch: WatchConfig<unknown> = {
    scheduler,
    monotonic,
    wake$: defaultWake({ scheduler, ...(config.monotonic && { monotonic }) }),
    ...(log && { log }),
    ...(random && { random }),
    ...(backoff && { backoff }),
    ...given(config.watch),
  };
  const { deadline: pollDeadline } = watchSettings(watch);
  const feed = { scheduler, ...(linger !== undefined && { linger }) };
  const as = (token: Token): LobbyContext => {
    const authorized = withToken(logged, token, { scheduler });
    return {
      plain: sendingBy(withDeadline(authorized, deadline, scheduler)),
      blocking: sendingBy(withDeadline(authorized, pollDeadline, scheduler)),
      polling: sendingBy(authorized),
      ...{ watch, feed, scheduler, monotonic, as },
    };
  };
  return as(config.token);
}

function resolveUrls(config: ContextConfig): BaseUrls {
  const { insecure = false } = config;
  const all = config.url === undefined ? undefined : baseUrl('url', config.url, insecure);
  const baseUrls: Record<string, string> = {};
  for (const service of ['group', 'matchmaker', 'api'] as const) {
    const name = `${service}Url` as const;
    const url = config[name] === undefined ? all : baseUrl(name, config[name], insecure);
    if (url !== undefined) baseUrls[service] = url;
  }
  if (Object.keys(baseUrls).length > 0) return baseUrls;
  throw new InputError('url', "the service's base URL; or give groupUrl, matchmakerUrl, apiUrl", 'nothing');
}
