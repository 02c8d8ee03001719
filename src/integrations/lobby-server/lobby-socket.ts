import type { IncomingHttpHeaders } from 'node:http';
import type { Observable } from 'rxjs';

// Public types only, outside `socket/`: published declarations must not import the types of ws, which users may not have.

/**
 * The socket of a player whose token the service has confirmed.
 *
 * @example
 * gate$.subscribe(socket => {
 *   socket.send(`Welcome, ${socket.searchParams.get('name')}.`);
 *   socket.message$.subscribe(message => console.log(message));
 *   socket.closed$.subscribe(({ code }) => console.log(`left: ${code}`));
 * });
 */
export interface LobbySocket {
  /** The player's token. JSON and `util.inspect` leave it out. */
  readonly token: string;
  /** The headers of the upgrade request, cookies included. JSON and `util.inspect` leave them out. */
  readonly headers: IncomingHttpHeaders;
  /** The address that the player connects from: an IP address, or what `addressOf` returned. */
  readonly address: string;
  /** The path and query of the upgrade request, without the token. */
  readonly url: string;
  /** The query of that URL. It comes from the player: do not trust it. */
  readonly searchParams: URLSearchParams;
  /**
   * The messages of the player, in order. Hot; it never errors, and completes when the socket has closed. While there is no
   * subscriber, messages are held, starting with the first one. If there are more than 64, or than four times `maxPayload` bytes,
   * the socket is closed with 4413.
   */
  readonly message$: Observable<LobbyMessage>;
  /** Emits once and completes when the socket has closed. Late subscribers get the value too. */
  readonly closed$: Observable<SocketClosed>;
  /** The number of bytes waiting to be sent. More than `maxBufferedAmount` for 5 s, or four times as many, closes the socket with 4413. */
  readonly bufferedAmount: number;
  /** Sends a message; does nothing if the socket is closed. */
  send(message: LobbyMessage): void;
  /**
   * Closes the socket; does nothing if it is closed. A player who never answers the close frame is disconnected after `closeTimeout`.
   * `code` is 1000 by default, `reason` may have at most 123 bytes. Throws an `InputError` if either is invalid.
   */
  close(code?: number, reason?: string): void;
  /** Ends the connection at once, without a close frame: the player sees code 1006. */
  terminate(): void;
}

/** A message from or to a player: the text of a text message, or the bytes of a binary one. */
export type LobbyMessage = string | Uint8Array;

/** How a socket was closed. */
export interface SocketClosed {
  /**
   * The close code that this side sent, otherwise the one that the player sent: 1005 if their close frame had none, 1006 if
   * the connection broke without a close frame.
   */
  readonly code: number;
  readonly reason: string;
}
