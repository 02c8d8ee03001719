import type { Observable } from 'rxjs';
import type { LobbyMessage } from './lobby-message.js';
import type { SocketClosed } from './socket-closed.js';

/** The socket of a player whose token the service has confirmed. */
export interface LobbySocket {
  /** The player's token. It is in no print of the socket, in JSON or in `util.inspect`. */
  readonly token: string;
  /** Where it comes from: an IP address, or what `addressOf` made of the request. */
  readonly address: string;
  /** The path and query that it asked for, without the token. */
  readonly url: string;
  /**
   * What the player sends, in order; completes when the socket has closed. Hot, for any number of subscribers. While there is
   * none, messages are held, from the first one on; a player who sends more than is held meanwhile is closed with 4413.
   */
  readonly message$: Observable<LobbyMessage>;
  /** How the socket ended: emits once, to late subscribers too, and completes. */
  readonly closed$: Observable<SocketClosed>;
  /** Sends a message; nothing where the socket is closed. A player who does not read what he is sent is closed with 4413. */
  send(message: LobbyMessage): void;
  /** Closes the socket. `code` is 1000 (the default) or one from 3000 up to 4999, `reason` 123 bytes at the most. */
  close(code?: number, reason?: string): void;
}
