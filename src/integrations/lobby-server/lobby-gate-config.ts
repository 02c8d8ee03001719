import type { IncomingMessage, Server } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import { asyncScheduler, NEVER, type ObservableInput, type SchedulerLike } from 'rxjs';
import type { MatchmakerApi } from '../../client/index.js';
import {
  aBoolean,
  aFunction,
  checkOptions,
  definedOptions,
  fieldsOf,
  guarded,
  milliseconds,
  observableInput,
  plainObject,
  positiveInteger,
  schedulerLike,
  type Guard,
  type Options,
} from '../../error/index.js';
import type { Awaitable } from '../../stream/index.js';
import { GateReport, type FreeSlotReason, type GateLogEntry } from './report/index.js';

/** The options of `lobbyGate`. All but `server` and `client` are optional. */
export interface LobbyGateConfig {
  /**
   * The server whose upgrade requests the gate handles: of `node:http`, `node:https`, or of
   * `node:http2` with `allowHTTP1`.
   */
  readonly server: Server | Http2Server | Http2SecureServer;
  /**
   * A client with the lobby's own token. Its `timeout` is how long the service may take to confirm
   * a player's token. While it does not know its service (`isServiceKnown` is false), the gate asks
   * about a token that nobody has issued before it sends a player's. One of your own, or a fake in
   * a test, needs no `isServiceKnown`, and is believed then.
   */
  readonly client: {
    readonly matchmaker: {
      readonly players: Pick<MatchmakerApi['players'], 'connected'> & {
        readonly isServiceKnown?: boolean | undefined;
        readonly unprovedBy?: string | undefined;
      };
    };
  };
  /**
   * The path that players connect to, such as `/play`. Other paths are left to other listeners,
   * which have to leave this one to the gate.
   * Default: any path, on a server without other listeners.
   */
  readonly path?: string;
  /**
   * Where the player's token is. Default `message`.
   *
   * - `message`: the token is the whole first message, as text or as the bytes of UTF-8, without
   *   the line ends, blanks and NULs around it. The socket is closed with 4408 if the message has
   *   not come after 5 s, and with 1009 if it is not complete after 16,384 bytes.
   * - `query`: the token is the query parameter `token` of the upgrade request. Proxies may log
   *   that URL.
   * - A function extracts the token from the request, for example from a header or a cookie. It
   *   must return synchronously (`undefined`: no token).
   */
  readonly token?: 'message' | 'query' | ((request: IncomingMessage) => string | undefined);

  /**
   * Frees the slot that the service counts for a player. It is called once the player has left
   * (`left`). It is also called if the service's answer was lost, and the player has not come again
   * within 10 s (`unresolved`), since the service may have counted them.
   *
   * The gate waits for whatever it returns, and refuses the token until that has completed: an
   * Observable, a promise, an array of them, and what is in them. The slot is free if it completes,
   * or fails with the service's own 400, 404 or 410. After a lost answer (`unresolved`), these
   * three count only after two minutes, since the service may still be working on the
   * confirmation. A `Response` that is not ok is a failure, too.
   * After any other error, `freeSlot` is called again, with waits of up to 60 s, until
   * `freeSlotTimeout`. The log has the outcome. 64 calls are made at once, and none while the
   * service limits the rate. Without `freeSlot`, a slot stays taken until the service itself ends
   * it.
   */
  readonly freeSlot?: (player_token: string, why: FreeSlotReason) => Awaitable;
  /**
   * How long it may take to free a slot, in ms, from the first call on. After that, the slot is
   * given up, and the log says so. So calls that never end do not keep the others waiting for ever.
   * `Infinity`, which `slotFiles` sets: while the process lives, or until `drainTimeout`. Default
   * 300,000.
   */
  readonly freeSlotTimeout?: number;
  /**
   * Ends the gate when it first emits. From then on, no client is admitted, and every player is
   * closed with 1001. The gate completes when every slot has been freed, or could not be.
   */
  readonly drain$?: ObservableInput<unknown>;
  /**
   * How long draining may take, in ms. After that, the gate completes, and the log says how many
   * slots are not free. Set it below the time after which your process manager kills the process. A
   * player has half of it to answer a close frame, and 3 s at most. Default 20,000.
   */
  readonly drainTimeout?: number;
  /**
   * How long a player whose connection has dropped may come back with their `returnTicket`, in ms.
   * Until then their slot stays taken. Default 0, so that they have left at once.
   *
   * A connection has dropped if it ended with 1001, 1002, 1006 or 1011 to 1014, which no page can
   * send, or with 4006, by which some proxies mean 1006. A script that will be back sends 4000
   * (`back_soon`). Every other code from the player, and every `close` of yours, is final.
   */
  readonly grace?: number;

  /**
   * Whether pages of this origin may connect. If not, the answer is 403. It must return
   * synchronously. Only browsers send an origin. By default, all origins may connect.
   */
  readonly allowOrigin?: (origin: string | undefined, request: IncomingMessage) => boolean;
  /**
   * Whether an address with `open` connections to the gate may open another one. If not, the answer
   * is 429. It must return synchronously. Of IPv6, a /64 counts as one address. By default, it may.
   */
  readonly allowAddress?: (address: string, open: number, request: IncomingMessage) => boolean;
  /**
   * The address that a request comes from, for servers behind a proxy. It must return a string
   * synchronously. A port is taken off, and an IPv4 address in IPv6's form is written as IPv4.
   * Default: the remote address of its connection.
   */
  readonly addressOf?: (request: IncomingMessage) => string;

  /**
   * How many tokens may be awaiting confirmation at once. Beyond that, the answer is 503, or 4429
   * after the upgrade. Once half of `maxPending` is used, an address may use a quarter of the rest,
   * and always two. Of IPv6, a /64 counts as one address. A /56 may use twice and a /48 four times
   * as much. Four times as many tokens may be unresolved, and as many sockets may be waiting for a
   * first message. Addresses share these in the same way. Default 256.
   */
  readonly maxPending?: number;

  /**
   * The maximum size of a message, in bytes. A larger one closes the socket with 1009, one in too
   * many pieces with 1008. While a player's messages have no subscriber, up to 64 of them are
   * buffered, of at most four times this size in all. Beyond that, the socket is closed with 4413.
   * Default 65,536.
   */
  readonly maxPayload?: number;
  /**
   * How many bytes may be waiting to be sent to a player. If there are more for 5 s, or four times
   * as many, the socket is closed with 4413. Set it above the backlog that a player on a slow
   * connection may have. Default 1,048,576.
   */
  readonly maxBufferedAmount?: number;
  /**
   * How often a player is pinged, in ms. A player who has not answered two pings is disconnected
   * when the third is due. Any message counts as an answer. Default 30,000.
   */
  readonly pingInterval?: number;
  /** Compression of messages. It is an option of ws, and described there. Default false. */
  readonly perMessageDeflate?: boolean | object;

  /** Called with each decision of the gate. Entries contain no tokens. Errors are swallowed. */
  readonly log?: (entry: GateLogEntry) => void;
  /** The source of time. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

export type GateServer = LobbyGateConfig['server'];

/** The address that the connection of a request comes from. Behind a proxy, it is the proxy's. */
function remoteAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

/**
 * Other numbers of the docstrings are constants of the files that use them. The page of the gate
 * lists them (docs/gate.md, “Constants”).
 */
const DEFAULTS = {
  token: 'message',
  drain$: NEVER,
  drainTimeout: 20_000,
  freeSlotTimeout: 300_000,
  grace: 0,
  allowOrigin: () => true,
  allowAddress: () => true,
  addressOf: remoteAddress,
  maxPending: 256,
  maxPayload: 65_536,
  maxBufferedAmount: 1_048_576,
  pingInterval: 30_000,
  perMessageDeflate: false,
  scheduler: asyncScheduler,
} as const;

/**
 * How long a player may take to answer a close frame, in ms. It is half of `drainTimeout` if that
 * is less, so that a shutdown has as much time for the slots as for the players.
 */
const CLOSE_TIMEOUT_MS = 3_000;

/** A {@link LobbyGateConfig} with its defaults filled in. */
export type GateSettings = Required<Omit<LobbyGateConfig, 'path' | 'freeSlot' | 'log'>> &
  Pick<LobbyGateConfig, 'path' | 'freeSlot'> & {
    readonly report: GateReport;
    readonly closeTimeout: number;
  };

/** A client that has these methods of `matchmaker.players`. */
export const aClientWith = (...methods: readonly string[]): Guard<object> => ({
  name: 'a client made by createClient',
  is: (u): u is object => {
    const players = fieldsOf(fieldsOf(fieldsOf(u).matchmaker).players);
    return methods.every(method => aFunction.is(players[method]));
  },
});

const OPTIONS: Options<LobbyGateConfig> = {
  // An Express app is not the HTTP server, although it has listeners, too.
  server: {
    name: 'a server of node:http, node:https or node:http2: pass what `createServer(app)` returned, or `app.server`',
    is: u => aBoolean.is(fieldsOf(u).listening),
  },
  client: aClientWith('connected'),
  path: { name: 'a path that starts with /', is: u => typeof u === 'string' && u.startsWith('/') },
  token: {
    name: "'message', 'query' or a function",
    is: u => u === 'message' || u === 'query' || aFunction.is(u),
  },
  freeSlot: aFunction,
  freeSlotTimeout: {
    name: `${milliseconds.name}, or Infinity`,
    is: u => u === Infinity || milliseconds.is(u),
  },
  drain$: observableInput,
  drainTimeout: milliseconds,
  grace: milliseconds,
  log: aFunction,
  allowOrigin: aFunction,
  allowAddress: aFunction,
  addressOf: aFunction,
  maxPending: positiveInteger,
  maxBufferedAmount: positiveInteger,
  // ws reads it as a number of 32 bits. A larger one would be no limit at all.
  maxPayload: {
    name: 'a positive integer below 2,147,483,648',
    is: u => positiveInteger.is(u) && u < 2 ** 31,
  },
  pingInterval: {
    name: 'a positive number of milliseconds, at most 2,147,483,647',
    is: u => milliseconds.is(u) && u > 0,
  },
  perMessageDeflate: { name: 'true, false or an object', is: u => aBoolean.is(u) || plainObject.is(u) },
  scheduler: schedulerLike,
};

/** Checks a config and fills in the defaults. Throws an `InputError` that says what to change. */
export function resolveGateConfig(config: LobbyGateConfig): GateSettings {
  checkOptions(config, OPTIONS, '', ['server', 'client']);
  const { log, ...options } = definedOptions(config);
  const settings = { ...DEFAULTS, ...options };
  return {
    ...settings,
    report: new GateReport(guarded(log), settings.scheduler),
    closeTimeout: Math.min(CLOSE_TIMEOUT_MS, settings.drainTimeout / 2),
  };
}
