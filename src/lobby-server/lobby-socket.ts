import type { IncomingHttpHeaders } from 'node:http';
import type { Observable } from 'rxjs';

// Public types only, outside `socket/`: published declarations must not lead to the types of ws, which users may not have.

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
  /** Where the player connects from: an IP address, or what `addressOf` returned. */
  readonly address: string;
  /** The path and query of the upgrade request, without the token. */
  readonly url: string;
  /** The query of that URL. The player chose what is in it: do not trust it. */
  readonly searchParams: URLSearchParams;
  /**
   * What the player sends, in order; completes when the socket has closed. It is hot and has no errors. While nobody is
   * subscribed, messages are held, from the first one on; a player who sends more than `maxHeldMessages` or `maxHeldBytes`
   * meanwhile is closed with 4413.
   */
  readonly message$: Observable<LobbyMessage>;
  /** Emits once, when the socket has closed, and completes; late subscribers get it too. */
  readonly closed$: Observable<SocketClosed>;
  /** How many bytes wait to be sent. More than `maxBufferedAmount` for 5 s ends the socket with 4413. */
  readonly bufferedAmount: number;
  /** Sends a message; does nothing if the socket is closed. */
  send(message: LobbyMessage): void;
  /**
   * Closes the socket; does nothing if it is closed. A player who never answers the close frame is disconnected after 30 s.
   * `code` is 1000 by default, `reason` has at most 123 bytes; throws an `InputError` if a close frame cannot carry them.
   */
  close(code?: number, reason?: string): void;
}

/** A message from or to a player: the text of a text message, or the bytes of a binary one. */
export type LobbyMessage = string | Uint8Array;

/** How a socket was closed. */
export interface SocketClosed {
  /**
   * The close code that this side sent, or else the player's; 1005 if theirs had none, 1006 if the connection broke without
   * a close frame.
   */
  readonly code: number;
  readonly reason: string;
}
