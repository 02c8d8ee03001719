import { asyncScheduler, type ObservableInput, type SchedulerLike } from 'rxjs';
import {
  checkArgument,
  checkOptions,
  duration,
  fieldsOf,
  InputError,
  milliseconds,
  nonEmptyString,
  observableInput,
  plainObject,
  schedulerLike,
  type Guard,
  type Options,
} from '../error/index.js';
import { lobbyAddress, type LobbyJoin } from '../protocol/index.js';
import {
  BACKOFF_OPTIONS,
  defaultWake,
  flattened,
  monotonicClock,
  TESTING_OPTIONS,
  type BackoffConfig,
  type Clocks,
  type TestingConfig,
} from '../stream/index.js';
import type { LinkSettings, WebSocketClass } from './gate-link.js';
import { withOwnTicket } from './welcome.js';

/**
 * Where a lobby is, and the token of the player: a lobby join of a feed, or a URL and the token.
 */
export type LobbyEntrance =
  | Pick<LobbyJoin, 'player' | 'ports'>
  | {
      /** A WebSocket URL with its path, such as `wss://lobby.example.com/play`. */
      readonly url: string;
      readonly token: string;
    };

/** The options of `lobbyConnection`. All are optional. */
export interface LobbyConnectionConfig {
  /** The name of the lobby's port, if it has several (see `lobbyAddress`). */
  readonly port?: string;
  /** The path of the gate, and perhaps a query, such as `/play?name=Ada`. */
  readonly path?: string;
  /**
   * How the gate takes the token, as in its own option `token`: the first message, or the query of
   * the URL, which proxies may log. Default `message`.
   */
  readonly token?: 'message' | 'query';
  /**
   * How long the lobby may be silent until it is asked for an answer, in ms. If none comes for 10
   * s, the connection has dropped. Each message counts. Scripts do not see the pings of the gate.
   * With 0, a connection that is dead but looks open is noticed only when the platform gives it up,
   * which may take minutes. Default 20,000.
   */
  readonly heartbeat?: number;
  /** How many messages are kept to be sent once the player is in. Default 0. */
  readonly queue?: number;
  /** The waits between two attempts. By default up to 500 ms at first, and up to 5,000 ms. */
  readonly backoff?: BackoffConfig;
  /** The class of WebSockets. Default: that of the platform. Node has one from version 22 on. */
  readonly WebSocket?: WebSocketClass;
  /**
   * Connects at once when it emits. Default: when a page is online or visible again, or the machine
   * has slept.
   */
  readonly wake$?: ObservableInput<unknown>;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** The random numbers of a test. */
  readonly testing?: TestingConfig;
}

/** A config with its defaults. */
export interface ConnectionSettings extends LinkSettings, Clocks {
  /** The player's token, with a ticket of its own. */
  readonly secret: string;
  readonly queue: number;
  readonly backoff: Required<BackoffConfig>;
  readonly wake$: ObservableInput<unknown>;
  readonly random: () => number;
}

const aSocketClass: Guard<WebSocketClass> = {
  name: 'a class of WebSockets. In Node before 22, it is that of the package ws',
  is: (u): u is WebSocketClass => typeof u === 'function',
};

const OPTIONS: Options<LobbyConnectionConfig> = {
  port: nonEmptyString,
  path: { name: 'a path that starts with /', is: u => typeof u === 'string' && u.startsWith('/') },
  token: { name: "'message' or 'query'", is: u => u === 'message' || u === 'query' },
  heartbeat: milliseconds,
  queue: { name: 'a number of messages', is: duration.is },
  backoff: plainObject,
  WebSocket: aSocketClass,
  wake$: observableInput,
  scheduler: schedulerLike,
  testing: plainObject,
};

/** Checks the arguments, and fills in the defaults. */
export function connectionSettings(
  entrance: LobbyEntrance,
  config: LobbyConnectionConfig,
): ConnectionSettings {
  checkOptions(config, OPTIONS);
  checkOptions(config.backoff, BACKOFF_OPTIONS, 'backoff');
  checkOptions(config.testing, TESTING_OPTIONS, 'testing');
  checkArgument('entrance', plainObject, entrance);
  const { token = 'message', heartbeat = 20_000, queue = 0, scheduler = asyncScheduler } = config;
  // Less than the 10 s for which a gate answers a lost request again (`RETRY_WINDOW_MS`).
  const { initial = 500, max = 5_000 } = config.backoff ?? {};
  const { WebSocket = (globalThis as { readonly WebSocket?: unknown }).WebSocket } = config;
  const { random = Math.random, monotonic = monotonicClock(scheduler) } = config.testing ?? {};
  const address = 'url' in entrance ? givenUrl(entrance, config) : addressOfJoin(entrance, config);
  return {
    url: checkArgument('url', aSocketUrl, address.url),
    secret: withOwnTicket(checkArgument('token', aToken, address.token)),
    token,
    heartbeat,
    queue,
    backoff: { initial, max },
    WebSocket: checkArgument('WebSocket', aSocketClass, WebSocket),
    wake$: config.wake$ ? flattened(config.wake$) : defaultWake(scheduler, config.testing?.monotonic),
    scheduler,
    monotonic,
    random,
  };
}

const aToken: Guard<string> = {
  name: 'a token without blanks',
  is: (u): u is string => typeof u === 'string' && /^[^\s\0]+$/.test(u),
};

const aSocketUrl: Guard<string> = {
  name: 'a URL that begins with ws:// or wss://, without blanks and #',
  is: (u): u is string => typeof u === 'string' && /^wss?:\/\/[^\s/?#][^\s#]*$/.test(u),
};

interface PlayerAddress {
  readonly url: unknown;
  readonly token: unknown;
}

function addressOfJoin(
  join: Pick<LobbyJoin, 'player' | 'ports'>,
  config: LobbyConnectionConfig,
): PlayerAddress {
  const { path = '', port } = config;
  return { url: lobbyAddress(join, port).url + path, token: fieldsOf(join.player).token };
}

function givenUrl(address: PlayerAddress, { port, path }: LobbyConnectionConfig): PlayerAddress {
  if (port ?? path) throw new InputError('port and path', 'absent, since there is a URL', 'a string');
  return address;
}
