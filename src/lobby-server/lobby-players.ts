import type { LobbySocket } from './lobby-socket.js';

/** Who is in a lobby, and what is different from before. */
export interface LobbyPlayers {
  readonly sockets: ReadonlySet<LobbySocket>;
  /** How many they are: what the lobby shows. */
  readonly count: number;
  readonly joined: readonly LobbySocket[];
  readonly left: readonly LobbySocket[];
}
