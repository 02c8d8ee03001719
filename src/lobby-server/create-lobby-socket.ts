import type { Line } from './line.js';
import type { LobbySocket } from './lobby-socket.js';

/** The socket of a player who is in. */
export function createLobbySocket(
  token: string,
  { message$, closed$, send, close }: Line,
  { address, url }: Pick<LobbySocket, 'address' | 'url'>,
): LobbySocket {
  const socket = { address, url, message$, closed$, send, close };
  // A getter that is not enumerable: whatever prints the socket passes it over.
  return Object.defineProperty(socket, 'token', { get: () => token }) as LobbySocket;
}
