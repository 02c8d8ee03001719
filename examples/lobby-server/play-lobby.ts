import { concat, concatMap, mergeMap, of, tap, type Observable } from 'rxjs';
import { fold } from 'lobby-rx';
import type { LobbyMessage, LobbySocket } from 'lobby-rx/lobby-server';
import { nextGame, type Game, type Happening } from './game.js';
import { said } from './said.js';

/**
 * Plays the game with whoever comes through the gate: each new state goes to everyone who is in. Whoever sends what the
 * game does not allow is closed with 4400. It completes when the gate has, and the last player has left.
 */
export function playLobby(gate$: Observable<LobbySocket>): Observable<Game> {
  return gate$.pipe(
    mergeMap(socket =>
      concat(
        of<Happening>({ kind: 'enters', socket, name: nameOf(socket) }),
        socket.message$.pipe(concatMap(message => heard(socket, message))),
        of<Happening>({ kind: 'leaves', socket }),
      ),
    ),
    fold(nextGame, { players: new Map() }),
    tap(tellEveryone),
  );
}

function heard(socket: LobbySocket, message: LobbyMessage): readonly Happening[] {
  const what = said(message);
  if (what) return [{ kind: 'says', socket, said: what }];
  socket.close(4400, 'not a move');
  return [];
}

function tellEveryone({ players, said }: Game): void {
  const message = JSON.stringify({ players: [...players.values()], said });
  for (const socket of players.keys()) socket.send(message);
}

/** Players may call themselves what they like, but not at any length. */
function nameOf({ searchParams }: LobbySocket): string {
  return searchParams.get('name')?.slice(0, 20) ?? 'someone';
}
