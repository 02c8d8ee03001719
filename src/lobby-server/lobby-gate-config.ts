import type { IncomingMessage, Server } from 'node:http';
import type { ObservableInput, SchedulerLike } from 'rxjs';
import type { Client } from '../client/index.js';
import type { GateLogEntry } from './gate-log-entry.js';

/** What a gate guards, how players show their tokens, and what it puts up with. All but `server` and `client` is optional. */
export interface LobbyGateConfig {
  /** The server whose upgrade requests come to the gate: of `node:http`, or of `node:https`. */
  readonly server: Server;
  /** A client that speaks for the lobby: its token is the lobby's own. Its `deadline` is how long a check may take. */
  readonly client: Pick<Client, 'matchmaker'>;
  /** The path that players connect to, `/play` say. Others are left to other listeners of the server. Default: every path. */
  readonly path?: string;

  /** The name of the query parameter that carries the token, or false where none does. Default `token`. */
  readonly tokenParameter?: string | false;
  /**
   * Whether the first message may carry the token, where the query has none: the message as it is, or what this makes of
   * its text (undefined: no token). Default false.
   */
  readonly firstMessage?: boolean | ((text: string) => string | undefined);
  /** How long the first message may take, in ms. Default 5,000. */
  readonly firstMessageDeadline?: number;

  /**
   * Is told the token of a player who has gone, once for each whom the service has confirmed, admitted or not: free his slot.
   * What it returns is subscribed to.
   */
  readonly onGone?: ((token: string) => ObservableInput<unknown>) | ((token: string) => void);
  /**
   * Is told the token of a player who was turned away because the service's answer was lost: he may count as connected
   * there. What it returns is subscribed to.
   */
  readonly onUnknown?: ((token: string) => ObservableInput<unknown>) | ((token: string) => void);

  /** Whether pages of this origin may connect, said at once; if not: 403. Only browsers send one. Default: all may. */
  readonly isOriginAllowed?: (origin: string | undefined, request: IncomingMessage) => boolean;
  /** Whether one more socket of this address may connect beside the `open` ones, said at once; if not: 429. Default: it may. */
  readonly isAddressAllowed?: (address: string, open: number, request: IncomingMessage) => boolean;
  /** Where a request comes from, behind a proxy. Default: the address at the other end of its connection. */
  readonly addressOf?: (request: IncomingMessage) => string;

  /** How many tokens may be being confirmed at once; beyond that 503, or 4429. Default 256. */
  readonly maxChecks?: number;
  /** How many open sockets may be waited for to send their token; beyond that 503. Default 1,024. */
  readonly maxWaiting?: number;
  /** How large a message may be, in bytes; a larger one closes the socket with 1009. Default 65,536. */
  readonly maxPayload?: number;
  /** How many messages are held while nobody is subscribed; beyond that 4413. Default 64. */
  readonly maxHeldMessages?: number;
  /** How many bytes of messages are held while nobody is subscribed; beyond that 4413. Default 262,144. */
  readonly maxHeldBytes?: number;
  /**
   * How many bytes may wait to be sent to a player for longer than 5 s; beyond that 4413. Set it above what a slow one may
   * have to catch up with. Default 1,048,576.
   */
  readonly maxBufferedAmount?: number;
  /** How often a player is pinged, in ms; one who answers neither of two has gone when the third is due. Default 30,000. */
  readonly heartbeat?: number;

  /** Is told what the gate decides, without tokens; what it throws is ignored. */
  readonly log?: (entry: GateLogEntry) => void;
  /** What time is read from. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
