import type { IncomingHttpHeaders } from 'node:http';
import type { Observable } from 'rxjs';
import type { LobbyMessage } from './lobby-message.js';
import type { SocketClosed } from './socket-closed.js';

/** The socket of a player whose token the service has confirmed. */
export interface LobbySocket {
  /** The player's token: in no print of the socket, in JSON or in `util.inspect`. */
  readonly token: string;
  /** The headers of his request, cookies and all: in no print of the socket either. */
  readonly headers: IncomingHttpHeaders;
  /** Where it comes from: an IP address, or what `addressOf` made of the request. */
  readonly address: string;
  /** The path and query that it asked for, without the token. */
  readonly url: string;
  /** The query of that URL. Whatever is in it, a name say, only the player says so. */
  readonly searchParams: URLSearchParams;
  /**
   * What the player sends, in order; completes when the socket has closed. Hot, for any number of subscribers. While there is
   * none, messages are held, from the first one on; a player who sends more than is held meanwhile is closed with 4413.
   */
  readonly message$: Observable<LobbyMessage>;
  /** How the socket ended: emits once, to late subscribers too, and completes. */
  readonly closed$: Observable<SocketClosed>;
  /** How many bytes wait to be sent. A player for whom it stays above `maxBufferedAmount` for 5 s is closed with 4413. */
  readonly bufferedAmount: number;
  /** Sends a message; does nothing where the socket is closed. */
  send(message: LobbyMessage): void;
  /**
   * Closes the socket, at the latest after 30 s, if the player never answers; does nothing where it is closed. `code` is 1000 by default, `reason` has 123 bytes at the most; throws
   * an `InputError` where they cannot be sent.
   */
  close(code?: number, reason?: string): void;
}
