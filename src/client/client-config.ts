import type { SchedulerLike } from 'rxjs';
import {
  checkEndpoint,
  endpoints as defaultEndpoints,
  type Endpoint,
  type Endpoints,
} from '../endpoint/index.js';
import {
  aBoolean,
  aFunction,
  checkArgument,
  checkOptions,
  definedOptions,
  InputError,
  milliseconds,
  plainObject,
  positiveInteger,
  rejectUnknownKeys,
  schedulerLike,
  type Check,
  type Guard,
  type Options,
} from '../error/index.js';
import {
  aCodec,
  identityEventList,
  IdentityEventList,
  type EventCodecs,
  type NoOwnEvents,
} from '../protocol/index.js';
import {
  BACKOFF_OPTIONS,
  KINDS,
  TESTING_OPTIONS,
  WATCH_OPTIONS,
  type TestingConfig,
  type WatchConfig,
  type WatchLogEntry,
} from '../stream/index.js';
import type { IsFromService, RequestLogEntry, Token, Transport } from '../transport/index.js';

/**
 * An entry of a client's log: about a request (with a `method`) or about a watch (with a
 * `watchId`).
 */
export type LogEntry = RequestLogEntry | WatchLogEntry;

/**
 * The options of all watches of a client. They wake when the machine does: in a page by
 * `pageWake()`, elsewhere after a jump of the clock.
 */
export interface ClientWatchConfig extends Pick<WatchConfig<unknown>, WatchOption> {
  /**
   * How long a feed keeps polling after its last subscriber has unsubscribed, in ms. Default 1,000.
   */
  readonly linger?: number;
  /**
   * How many GETs of a route the client and its clients of `as` send in any 15 minutes. A quarter
   * of them may be sent at once. The rest is spread evenly, and polls wait for it. Default 1,900.
   * The service serves 1,920 to an address. Use `Infinity` for another service.
   */
  readonly quota?: number;
}

type WatchOption = 'wake$' | 'timeout' | 'minInterval' | 'retention' | 'backoff';

/** The options of `createClient`. A URL and the token are required. Everything else is optional. */
export interface ClientConfig<Codecs extends EventCodecs = NoOwnEvents> {
  /** The base URL of all three services, if they share one. It may include a path. */
  readonly url?: string;
  /**
   * The base URL of the group service ({group_url} in docs/the-service.md). Default: `url`. URLs of
   * services that are not used may be omitted.
   */
  readonly groupUrl?: string;
  /** The base URL of the matchmaker ({matchmaker_url} in docs/the-service.md). Default: `url`. */
  readonly matchmakerUrl?: string;
  /** The base URL of the API ({api_url} in docs/the-service.md). Default: `url`. */
  readonly apiUrl?: string;
  /**
   * The bearer token of an identity or a lobby. A string never changes. A function is called before
   * each request, and again after a 401. `false` means that something else adds the token.
   *
   * Use `{ get, renew }` for a token that expires. `get` is called before each request and gives
   * the token. `renew` is called after a 401 and gives a fresh one, at once, as a promise or as an
   * Observable. Either gives `null` if nobody is signed in. An error that they throw is taken for
   * transient, so a watch tries again. If the player has to sign in again, and only then, streams
   * end with an `UnauthorizedError`.
   *
   * @example
   * token: { get: () => session.token, renew: () => session.renew() }
   */
  readonly token: Token;
  /**
   * Whether the client is for rendering pages on a server, which show what is known at one moment.
   * Its watches, feeds and states then send nothing and stay `idle`. Single requests and pages are
   * sent. When the client is closed they are dropped: no stream of it fails or completes. Default:
   * no. Without `false`, a state warns once if it has a subscriber outside of a page.
   *
   * @example
   * renders: typeof window === 'undefined'
   */
  readonly renders?: boolean;
  /**
   * Allows plain http: to other machines. Default false, because it exposes the token to everyone
   * on the network.
   */
  readonly insecure?: boolean;
  /** How long a request that does not block may take, in ms. Default 15,000. */
  readonly timeout?: number;
  /** Default options of all watches and feeds. A call can override them. */
  readonly watch?: ClientWatchConfig;
  /** The transport that carries requests. Default `fromFetch()`. */
  readonly transport?: Transport;
  /**
   * Whether an answer is the service's own, for a service without the header `rvt-ray-id`. It is
   * called for each answer. Only `true` means yes. What is not the service's own confirms no
   * player, frees no slot, ends no watch and signs nobody out. Default: once an answer has had a
   * ray id, those that have one.
   *
   * @example
   * isFromService: ({ headers }) => headers.get('x-my-lobbies') !== null
   */
  readonly isFromService?: IsFromService;
  /**
   * Called for each request and after each poll of a watch. Entries contain no tokens. Errors are
   * swallowed.
   */
  readonly log?: (entry: LogEntry) => void;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** The random numbers and the monotonic clock of a test. */
  readonly testing?: TestingConfig;
  /**
   * Replacements for built-in endpoints, with the same input and answer, for servers with other
   * paths. Everything that uses an endpoint (roster, feed, gate) then uses the replacement.
   */
  readonly endpoints?: Partial<Endpoints>;
  /**
   * Codecs of your own event kinds, by their names on the wire. These kinds become members of
   * `LiveEvent`, with the decoded value as `payload`. For example: `feed.on('chat_message')`.
   */
  readonly kinds?: Codecs;
}

const transportFunction: Guard<Transport> = {
  name: 'a function like the one that fromFetch() returns',
  is: (u): u is Transport => typeof u === 'function',
};
/** A check for an option that is checked in detail elsewhere. */
const anything: Check = { name: 'anything', is: () => true };

const OPTIONS: Options<ClientConfig> = {
  url: anything,
  groupUrl: anything,
  matchmakerUrl: anything,
  apiUrl: anything,
  token: anything,
  renders: aBoolean,
  insecure: aBoolean,
  timeout: milliseconds,
  watch: plainObject,
  transport: transportFunction,
  isFromService: aFunction,
  log: aFunction,
  scheduler: schedulerLike,
  testing: plainObject,
  endpoints: plainObject,
  kinds: plainObject,
};
const { wake$, timeout, minInterval, retention, backoff } = WATCH_OPTIONS;
const OPTIONS_OF_WATCHES: Options<ClientWatchConfig> = {
  wake$,
  timeout,
  minInterval,
  retention,
  backoff,
  linger: milliseconds,
  quota: { name: 'a positive integer, or Infinity', is: u => u === Infinity || positiveInteger.is(u) },
};

/** A {@link ClientConfig} that has been checked, with all of its endpoints. */
export type CheckedConfig = Omit<ClientConfig, 'endpoints' | 'kinds'> & { readonly endpoints: Endpoints };

/**
 * Throws an `InputError` that says what to change if a config is invalid, except for its URLs and
 * its token.
 */
export function checkedConfig(config: ClientConfig<EventCodecs>): CheckedConfig {
  checkArgument('config', plainObject, config);
  checkOptions<object>(config, OPTIONS);
  checkOptions(config.watch, OPTIONS_OF_WATCHES, 'watch');
  checkOptions(config.watch?.backoff, BACKOFF_OPTIONS, 'watch.backoff');
  checkOptions(config.testing, TESTING_OPTIONS, 'testing');
  const { endpoints, kinds, ...others } = definedOptions(config);
  return { ...others, endpoints: resolveEndpoints(endpoints, kinds) };
}

function resolveEndpoints(endpoints: Partial<Endpoints> = {}, kinds: EventCodecs = {}): Endpoints {
  rejectUnknownKeys(endpoints, Object.keys(defaultEndpoints), 'endpoints', 'endpoint');
  const replaced = Object.entries(definedOptions(endpoints)).map(([name, endpoint]) => {
    const builtIn = defaultEndpoints[name as keyof Endpoints];
    checkEndpoint(endpoint, `endpoints.${name}`, builtIn);
    // Parts that the replacement leaves open, such as `isEmpty`, stay those of the built-in
    // endpoint.
    return [name, { ...builtIn, ...(endpoint as Endpoint) }];
  });
  for (const [kind, codec] of Object.entries(kinds)) {
    if (KINDS.some(known => known === kind))
      throw new InputError('kinds', 'names that are not built in', kind);
    checkArgument(`kinds.${kind}`, aCodec, codec);
  }
  const chosen: Endpoints = { ...defaultEndpoints, ...(Object.fromEntries(replaced) as Partial<Endpoints>) };
  if (Object.keys(kinds).length === 0) return chosen;
  if (chosen.eventsWatch.response !== IdentityEventList) {
    const rule = 'left out if endpoints.eventsWatch has a response: declare them there';
    throw new InputError('kinds', rule, 'both');
  }
  const response = identityEventList(kinds) as unknown as typeof IdentityEventList;
  return { ...chosen, eventsWatch: { ...chosen.eventsWatch, response } };
}
