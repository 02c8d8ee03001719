import type { IncomingMessage, Server } from 'node:http';
import { asyncScheduler, type ObservableInput, type SchedulerLike } from 'rxjs';
import type { MatchmakerApi } from '../client/index.js';
import {
  checkArgument,
  describe,
  InputError,
  milliseconds,
  guarded,
  rejectUnknownKeys,
} from '../error/index.js';
import { jsonObject, nonEmptyString, positiveInteger } from '../protocol/index.js';
import type { GateLogEntry } from './gate-log-entry.js';

/** The options of `lobbyGate`. All but `server` and `client` are optional. */
export interface LobbyGateConfig {
  /** The server whose upgrade requests the gate handles: of `node:http`, or of `node:https`. */
  readonly server: Server;
  /** A client with the lobby's own token. Its `deadline` is how long the service may take to confirm a player's token. */
  readonly client: { readonly matchmaker: { readonly players: Pick<MatchmakerApi['players'], 'connected'> } };
  /** The path that players connect to, such as `/play`. Other paths are left to other listeners. Default: any path. */
  readonly path?: string;

  /** The name of the query parameter with the token, or false if the token is never in the URL. Default `token`. */
  readonly tokenParameter?: string | false;
  /**
   * Whether the first message may contain the token if the URL does not: true takes the whole message as the token, a function
   * extracts the token from its text (undefined: no token). Default false.
   */
  readonly firstMessage?: boolean | ((text: string) => string | undefined);
  /** How long the first message may take, in ms. After that the socket is closed with 4408. Default 5,000. */
  readonly firstMessageDeadline?: number;

  /**
   * Called with the token of a player who has left, to free their slot: once for each player whom the service has confirmed,
   * whether or not they were admitted. The gate subscribes to the return value.
   */
  readonly onGone?: ((token: string) => ObservableInput<unknown>) | ((token: string) => void);
  /**
   * Called with the token of a player who was refused because the service's answer was lost: the service may count them as
   * connected. The gate subscribes to the return value.
   */
  readonly onUnknown?: ((token: string) => ObservableInput<unknown>) | ((token: string) => void);

  /**
   * Whether pages of this origin may connect; if not, the answer is 403. It must return synchronously. Only browsers send an
   * origin. Default: all origins may.
   */
  readonly isOriginAllowed?: (origin: string | undefined, request: IncomingMessage) => boolean;
  /**
   * Whether an address with `open` connections to the gate may open another one; if not, the answer is 429. It must return
   * synchronously. Default: it may.
   */
  readonly isAddressAllowed?: (address: string, open: number, request: IncomingMessage) => boolean;
  /** The address that a request comes from, for servers behind a proxy. Default: the remote address of its connection. */
  readonly addressOf?: (request: IncomingMessage) => string;

  /** How many tokens may be awaiting confirmation at once. Beyond that: 503, or 4429 after the upgrade. Default 256. */
  readonly maxChecks?: number;
  /** How many open sockets may be waiting for a first message with a token. Beyond that: 503. Default 1,024. */
  readonly maxWaiting?: number;
  /** The maximum size of a message, in bytes. A larger one closes the socket with 1009. Default 65,536. */
  readonly maxPayload?: number;
  /** How many messages are held while there is no subscriber. Beyond that: 4413. Default 64. */
  readonly maxHeldMessages?: number;
  /** How many bytes of messages are held while there is no subscriber. Beyond that: 4413. Default 262,144. */
  readonly maxHeldBytes?: number;
  /**
   * How many bytes may be waiting to be sent to a player. If there are more for 5 s, the socket is closed with 4413. Set it
   * above the backlog that a player on a slow connection may have. Default 1,048,576.
   */
  readonly maxBufferedAmount?: number;
  /**
   * How often a player is pinged, in ms. A player who has not answered two pings is disconnected when the third is due. Any
   * message counts as an answer. Default 30,000.
   */
  readonly heartbeat?: number;

  /** Called with each decision of the gate. Entries contain no tokens. Errors are swallowed. */
  readonly log?: (entry: GateLogEntry) => void;
  /** The source of time. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** A {@link LobbyGateConfig} with its defaults filled in. */
export type GateSettings = Required<Omit<LobbyGateConfig, 'path' | 'firstMessage'>> & {
  /** Undefined for any path. */
  readonly path: string | undefined;
  /** Extracts the token from the first message; undefined if that may not contain one. */
  readonly firstMessage: ((text: string) => string | undefined) | undefined;
};

const FUNCTIONS = ['onGone', 'onUnknown', 'isOriginAllowed', 'isAddressAllowed', 'addressOf', 'log'] as const;

/** The positive integers, with their defaults. */
const NUMBERS = {
  maxChecks: 256,
  maxWaiting: 1_024,
  maxPayload: 65_536,
  maxHeldMessages: 64,
  maxHeldBytes: 262_144,
  maxBufferedAmount: 1_048_576,
  firstMessageDeadline: 5_000,
  heartbeat: 30_000,
} as const satisfies Partial<Record<keyof LobbyGateConfig, number>>;

const OTHERS = ['server', 'client', 'path', 'tokenParameter', 'firstMessage', 'scheduler'] as const;

/** Checks a config and fills in the defaults; throws an `InputError` that says what to change. */
export function resolveGateConfig(config: LobbyGateConfig): GateSettings {
  checkArgument('config', jsonObject, config);
  rejectUnknownKeys(config, [...OTHERS, ...FUNCTIONS, ...Object.keys(NUMBERS)]);
  checkServerAndClient(config);
  for (const name of FUNCTIONS) {
    if (config[name] !== undefined) checkFunction(name, config[name], 'a function');
  }
  return {
    server: config.server,
    client: config.client,
    path: config.path,
    ...resolveTokenSources(config),
    ...resolveNumbers(config),
    onGone: config.onGone ?? (() => undefined),
    onUnknown: config.onUnknown ?? (() => undefined),
    isOriginAllowed: config.isOriginAllowed ?? (() => true),
    isAddressAllowed: config.isAddressAllowed ?? (() => true),
    addressOf: config.addressOf ?? (({ socket }) => socket.remoteAddress ?? ''),
    scheduler: config.scheduler ?? asyncScheduler,
    log: guarded(config.log),
  };
}

function checkServerAndClient({ server, client, path }: LobbyGateConfig): void {
  // An Express app has listeners too, but it is not the HTTP server.
  if (typeof (Object(server) as { listening?: unknown }).listening !== 'boolean') {
    throw new InputError('server', 'a server of node:http or node:https', describe(server));
  }
  const { matchmaker } = Object(client) as { matchmaker?: { players?: { connected?: unknown } } };
  checkFunction('client', matchmaker?.players?.connected, 'a client made by createClient', client);
  if (path !== undefined && !checkArgument('path', nonEmptyString, path).startsWith('/')) {
    throw new InputError('path', 'a path that starts with /', describe(path));
  }
}

function resolveTokenSources({ tokenParameter = 'token', firstMessage = false }: LobbyGateConfig) {
  if (tokenParameter !== false) checkArgument('tokenParameter', nonEmptyString, tokenParameter);
  if (typeof firstMessage !== 'boolean') {
    checkFunction('firstMessage', firstMessage, 'a boolean or a function');
  }
  if (tokenParameter === false && firstMessage === false) {
    throw new InputError('tokenParameter', 'a name, unless firstMessage is set', 'neither');
  }
  const wholeText = (text: string) => text;
  return { tokenParameter, firstMessage: firstMessage === true ? wholeText : firstMessage || undefined };
}

function resolveNumbers(config: LobbyGateConfig): Record<keyof typeof NUMBERS, number> {
  const checked = { ...NUMBERS } as Record<keyof typeof NUMBERS, number>;
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    checked[name] = checkArgument(name, positiveInteger, config[name] ?? NUMBERS[name]);
  }
  for (const name of ['firstMessageDeadline', 'heartbeat'] as const) {
    checkArgument(name, milliseconds, checked[name]);
  }
  return checked;
}

function checkFunction(name: string, value: unknown, expected: string, got = value): void {
  if (typeof value !== 'function') throw new InputError(name, expected, describe(got));
}
