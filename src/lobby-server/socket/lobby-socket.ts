import type { IncomingHttpHeaders } from 'node:http';
import type { Observable } from 'rxjs';
import type { Connection } from './connection.js';
import type { LobbyMessage } from './message-buffer.js';
import type { SocketClosed } from './socket-closed.js';

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

/** What the upgrade request says about a player. */
export type RequestDetails = Pick<LobbySocket, 'address' | 'url' | 'headers'>;

/** Gives a connection to the player who has this token. */
export function createLobbySocket(
  token: string,
  { message$, closed$, send, close, bufferedAmount }: Connection,
  { address, url, headers }: RequestDetails,
): LobbySocket {
  const socket = {
    ...{ address, url, message$, closed$, send, close },
    // Not `new URL`, which throws for some of the paths that a request may have.
    searchParams: new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : ''),
    get bufferedAmount() {
      return bufferedAmount();
    },
  };
  // Not enumerable, and therefore not printed.
  return Object.defineProperties(socket, {
    token: { get: () => token },
    headers: { get: () => headers },
    toJSON: { value: () => ({ address, url }) },
  }) as LobbySocket;
}
