import type { LobbySocket } from 'lobby-rx/lobby-server';
import type { Said } from './said.js';

/** The board is so wide and so high. */
export const SIZE = 8;

export interface Player {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The whole state of the game, and what was last said in it. */
export interface Game {
  readonly players: ReadonlyMap<LobbySocket, Player>;
  readonly said?: { readonly name: string; readonly text: string };
}

/** Everything that happens in it. */
export type Happening =
  | { readonly kind: 'enters'; readonly socket: LobbySocket; readonly name: string }
  | { readonly kind: 'says'; readonly socket: LobbySocket; readonly said: Said }
  | { readonly kind: 'leaves'; readonly socket: LobbySocket };

/** The rules, as a reducer. */
export function nextGame({ players }: Game, happening: Happening): Game {
  const { kind, socket } = happening;
  const next = new Map(players);
  const player = players.get(socket);
  if (kind === 'enters') next.set(socket, { name: happening.name, x: 0, y: 0 });
  if (kind === 'leaves') next.delete(socket);
  if (kind !== 'says' || !player) return { players: next };

  const { say, move } = happening.said;
  if (move) next.set(socket, { ...player, x: onBoard(player.x + move.dx), y: onBoard(player.y + move.dy) });
  return { players: next, ...(say !== undefined && { said: { name: player.name, text: say } }) };
}

const onBoard = (at: number) => Math.min(SIZE - 1, Math.max(0, at));
