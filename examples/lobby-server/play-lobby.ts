import { concat, concatMap, filter, map, merge, mergeMap, of, skip, tap, type Observable } from 'rxjs';
import { scanState } from 'lobby-rx';
import type { PlayerMessage, PlayerSocket } from 'lobby-rx/lobby-server';
import { nextGame, parseAction, type Game, type GameEvent } from './game.js';

/**
 * Runs the game for the players that the gate admits, and sends each new state to all of them. A
 * player who sends an invalid action is disconnected with code 4400. Emits each state of the game,
 * and completes when the gate has completed and the last player has left.
 */
export function playLobby(gate$: Observable<PlayerSocket>): Observable<Game> {
  return gate$.pipe(
    mergeMap(socket =>
      concat(
        of<GameEvent>({ kind: 'enter', socket, name: nameOf(socket) }),
        merge(
          socket.message$.pipe(concatMap(message => eventsOf(socket, message))),
          // Who comes back has to see what has happened meanwhile.
          socket.status$.pipe(
            skip(1),
            filter(status => status === 'open'),
            map((): GameEvent => ({ kind: 'return', socket })),
          ),
        ),
        of<GameEvent>({ kind: 'leave', socket }),
      ),
    ),
    scanState(nextGame, { players: new Map() }),
    tap(broadcast),
  );
}

function eventsOf(socket: PlayerSocket, message: PlayerMessage): readonly GameEvent[] {
  const action = parseAction(message);
  if (action) return [{ kind: 'act', socket, action }];
  socket.close(4400, 'not a move');
  return [];
}

function broadcast({ players, chat }: Game): void {
  const message = JSON.stringify({ players: [...players.values()], chat });
  for (const socket of players.keys()) socket.send(message);
}

/** Players choose their own names, of at most 20 characters, none of which controls a terminal. */
function nameOf({ searchParams }: PlayerSocket): string {
  const name = searchParams.get('name') ?? '';
  return name.replace(/\p{C}/gu, '').slice(0, 20) || 'someone';
}
