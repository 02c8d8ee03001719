import type { IncomingMessage, Server } from 'node:http';
import type { ObservableInput, SchedulerLike } from 'rxjs';
import type { MatchmakerApi } from '../client/index.js';
import type { GateLogEntry } from './gate-log-entry.js';

/** The options of `lobbyGate`. All but `server` and `client` are optional. */
export interface LobbyGateConfig {
  /** The server whose upgrade requests the gate handles: of `node:http`, or of `node:https`. */
  readonly server: Server;
  /** A client with the lobby's own token. Its `deadline` is how long the service may take to confirm a player's token. */
  readonly client: { readonly matchmaker: { readonly players: Pick<MatchmakerApi['players'], 'connected'> } };
  /** The path that players connect to, such as `/play`. Other paths are left to other listeners. Default: any path. */
  readonly path?: string;

  /**
   * Where the upgrade request has the player's token. `query`: in a query parameter. `subprotocol`: the last of at least two
   * subprotocols that the client offers is the token, percent-encoded; the gate selects another one. A function extracts it,
   * from a header or a cookie for example; it must return synchronously (undefined: no token). Default `query`.
   */
  readonly token?: 'query' | 'subprotocol' | ((request: IncomingMessage) => string | undefined);
  /** The name of the query parameter with the token, or false if no upgrade request has a token. Default `token`. */
  readonly tokenParameter?: string | false;
  /**
   * Whether the first message may contain the token if the upgrade request does not: true takes the whole message as the token,
   * a function extracts the token from its text; it must return synchronously (undefined: no token). Default false.
   */
  readonly firstMessage?: boolean | ((text: string) => string | undefined);
  /** How long the first message may take, in ms. After that the socket is closed with 4408. Default 5,000. */
  readonly firstMessageDeadline?: number;

  /**
   * Called with the token of a player who has left, to free their slot: once for each player whom the service has confirmed,
   * whether or not they were admitted. The gate subscribes to the return value, and refuses the token until that has ended.
   */
  readonly onGone?: ((token: string) => ObservableInput<unknown>) | ((token: string) => void);
  /**
   * Called with the token of a player for whom the service's answer was lost, so that it may count them as connected: once,
   * after they have not come again for `unknownGrace`, or have come and the service has said no. The gate subscribes to the
   * return value, and admits no player with the token until that has ended.
   */
  readonly onUnknown?: ((token: string) => ObservableInput<unknown>) | ((token: string) => void);
  /** How long a player may take to come again after the service's answer was lost, in ms. Default 10,000. */
  readonly unknownGrace?: number;
  /** How many calls of `onGone` and `onUnknown` may run at once; the others wait. Default 64. */
  readonly maxHooks?: number;
  /** How long a call of `onGone` or `onUnknown` may run, in ms, until it is unsubscribed from. Default 300,000. */
  readonly hookDeadline?: number;

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
  /**
   * The address that a request comes from, for servers behind a proxy. It must return a string synchronously. Default: the
   * remote address of its connection.
   */
  readonly addressOf?: (request: IncomingMessage) => string;

  /**
   * How many tokens may be awaiting confirmation at once. Beyond that: 503, or 4429 after the upgrade. Once half of the places
   * are taken, an address (of IPv6: a /64) may have a quarter of the free ones, at least two. Default 256.
   */
  readonly maxChecks?: number;
  /** How many open sockets may be waiting for a first message with a token; shared like `maxChecks`. Default 1,024. */
  readonly maxWaiting?: number;
  /** How many tokens may be held because the service's answer was lost; shared like `maxChecks`. Default 1,024. */
  readonly maxUnknown?: number;
  /** How long a token that the service has refused is refused without asking it again, in ms. Default 10,000. */
  readonly refusedMemory?: number;

  /** How many bytes a client may send until its first message with a token is complete. Beyond that: 1009. Default 16,384. */
  readonly maxFirstMessage?: number;
  /** The maximum size of a message, in bytes. A larger one closes the socket with 1009. Default 65,536. */
  readonly maxPayload?: number;
  /** How many fragments a message may have. Beyond that: 1008. Default: one per KiB of `maxPayload`, at least 16. */
  readonly maxFragments?: number;
  /** In how many pieces a frame may arrive. Beyond that: 1008. Default: two per KiB of `maxPayload`, at least 32. */
  readonly maxBufferedChunks?: number;
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
  /** Further options of ws. */
  readonly ws?: WsOptions;

  /** Called with each decision of the gate. Entries contain no tokens. Errors are swallowed. */
  readonly log?: (entry: GateLogEntry) => void;
  /** The source of time. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** Options that are passed on to the `WebSocketServer` of ws, whose documentation describes them. */
export interface WsOptions {
  /** Compression, with its options. Default false. */
  readonly perMessageDeflate?: boolean | object;
  /**
   * Selects one of the subprotocols that a client offers. A token is not among them. It must return synchronously. Default: the
   * first one.
   */
  readonly handleProtocols?: (protocols: Set<string>, request: IncomingMessage) => string | false;
  /** How long a player has to answer a close frame, in ms. Default 30,000. */
  readonly closeTimeout?: number;
  readonly allowSynchronousEvents?: boolean;
  readonly autoPong?: boolean;
  readonly maxPendingAutoPongs?: number;
  readonly skipUTF8Validation?: boolean;
}
