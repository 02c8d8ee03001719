import * as t from 'io-ts';
import type { PlayerMessage, PlayerSocket } from 'lobby-rx/lobby-server';

/** The board is a square with this many fields per side. */
export const BOARD_SIZE = 8;

export interface Player {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The state of the game, and the latest chat message. */
export interface Game {
  readonly players: ReadonlyMap<PlayerSocket, Player>;
  readonly chat?: { readonly name: string; readonly text: string };
}

const step = t.union([t.literal(-1), t.literal(0), t.literal(1)]);
const Action = t.partial({ say: t.string, move: t.type({ dx: step, dy: step }) });

/**
 * What players may send, as JSON: `{"say":"hello"}`, or a move by one field,
 * `{"move":{"dx":1,"dy":0}}`.
 */
export type Action = t.TypeOf<typeof Action>;

/** Everything that can happen in the game. */
export type GameEvent =
  | { readonly kind: 'enter'; readonly socket: PlayerSocket; readonly name: string }
  | { readonly kind: 'act'; readonly socket: PlayerSocket; readonly action: Action }
  | { readonly kind: 'return' | 'leave'; readonly socket: PlayerSocket };

/** The action in a message; undefined if the message is anything else. */
export function parseAction(message: PlayerMessage): Action | undefined {
  if (typeof message !== 'string') return undefined;
  try {
    const action: unknown = JSON.parse(message);
    return Action.is(action) ? action : undefined;
  } catch {
    return undefined;
  }
}

/** The rules of the game, as a reducer. */
export function nextGame({ players }: Game, event: GameEvent): Game {
  const { kind, socket } = event;
  const next = new Map(players);
  const player = players.get(socket);
  if (kind === 'enter') next.set(socket, { name: event.name, x: 0, y: 0 });
  if (kind === 'leave') next.delete(socket);
  if (kind !== 'act' || !player) return { players: next };

  const { say, move } = event.action;
  if (move) next.set(socket, { ...player, x: onBoard(player.x + move.dx), y: onBoard(player.y + move.dy) });
  return { players: next, ...(say !== undefined && { chat: { name: player.name, text: say } }) };
}

const onBoard = (position: number) => Math.min(BOARD_SIZE - 1, Math.max(0, position));
