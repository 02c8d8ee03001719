import type { IncomingHttpHeaders } from 'node:http';
import type { Observable } from 'rxjs';
import type { PlayerMessage } from '../../player/index.js';

// Public types only. Published declarations must not import the types of ws, which users may not
// have.

/**
 * The socket of a player whose token the service has confirmed. With `grace`, it stays the same
 * object when a player whose connection has dropped comes back on a new one.
 *
 * @example
 * gate$.subscribe(socket => {
 *   socket.send(`Welcome, ${socket.searchParams.get('name')}.`);
 *   socket.message$.subscribe(message => console.log(message));
 *   socket.closed$.subscribe(({ code }) => console.log(`left: ${code}`));
 * });
 */
export interface PlayerSocket {
  /** The player's token. JSON and `util.inspect` leave it out. */
  readonly token: string;
  /**
   * The secret with which the player comes back within `grace`. They send it in the place of a
   * token, each time that they come back, until they have left. A `lobbyConnection` gets it from
   * the gate. To another client, send it yourself, on this socket only. JSON and `util.inspect`
   * leave it out.
   */
  readonly returnTicket: string;
  /**
   * The headers of the newest upgrade request, cookies included. JSON and `util.inspect` leave them
   * out.
   */
  readonly headers: IncomingHttpHeaders;
  /**
   * The address of the newest connection: an IP address, or the string that `addressOf` returned.
   */
  readonly address: string;
  /** The path and query of the newest upgrade request, without the token. */
  readonly url: string;
  /** The query of that URL. Do not trust it, since it comes from the player. */
  readonly searchParams: URLSearchParams;
  /**
   * `open`, or `away` while the connection has dropped and the player may come back. A player who
   * is away is in, but cannot be sent anything. Emits the current status on subscription, `away`
   * when the connection drops and `open` when the player returns. Completes when they have left.
   */
  readonly status$: Observable<'open' | 'away'>;
  /**
   * The messages of the player, in order, of all connections. It is hot. It never fails, and
   * completes when the player has left. While there is no subscriber, messages are buffered,
   * starting with the first one. If there are more than 64, or than four times `maxPayload` bytes,
   * the socket is closed with 4413.
   */
  readonly message$: Observable<PlayerMessage>;
  /** Emits once and completes when the player has left. Late subscribers get the value too. */
  readonly closed$: Observable<SocketClosed>;
  /**
   * The number of bytes waiting to be sent. More than `maxBufferedAmount` for 5 s, or four times as
   * many, closes the socket with 4413.
   */
  readonly bufferedAmount: number;
  /**
   * Sends a message. Returns false, and keeps nothing, if the player is away or has left. A
   * `lobbyConnection` does not emit an empty string, which is the answer to a heartbeat.
   */
  send(message: PlayerMessage): boolean;
  /**
   * Closes the socket. A player who is away has left at once. Does nothing if it is closed. A
   * player who does not answer the close frame is disconnected 3 s later, or after half of
   * `drainTimeout` if that is less. `code` is 1000 by default, `reason` may have at most 123 bytes.
   * Throws an `InputError` if either is invalid.
   */
  close(code?: number, reason?: string): void;
  /**
   * Ends the connection at once, without a close frame. The player sees code 1006, and cannot come
   * back.
   */
  terminate(): void;
}

/** How a socket was closed. */
export interface SocketClosed {
  /**
   * The close code that this side sent, otherwise the one that the player sent. It is 1005 if their
   * close frame had none, and 1006 if the connection broke without a close frame.
   */
  readonly code: number;
  readonly reason: string;
}
