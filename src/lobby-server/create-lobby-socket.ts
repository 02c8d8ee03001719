import type { CandidateFacts } from './candidate.js';
import type { Connection } from './connection.js';
import type { LobbySocket } from './lobby-socket.js';

/** The socket of a player who is in. */
export function createLobbySocket(
  token: string,
  { message$, closed$, send, close, bufferedAmount }: Connection,
  { address, url, headers }: CandidateFacts,
): LobbySocket {
  const socket = {
    ...{ address, url, message$, closed$, send, close },
    // Not by `new URL`, which fails at some of what a request may ask for.
    searchParams: new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : ''),
    get bufferedAmount() {
      return bufferedAmount();
    },
  };
  // Not enumerable: whatever prints the socket passes them over.
  return Object.defineProperties(socket, {
    token: { get: () => token },
    headers: { get: () => headers },
    toJSON: { value: () => ({ address, url }) },
  }) as LobbySocket;
}
