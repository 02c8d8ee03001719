import { concat, map, mergeMap, of, type OperatorFunction } from 'rxjs';
import { fold } from '../stream/index.js';
import type { LobbyPlayers } from './lobby-players.js';
import type { LobbySocket } from './lobby-socket.js';

const NOBODY: LobbyPlayers = { sockets: new Set(), count: 0, joined: [], left: [] };

/**
 * Of the sockets that a gate lets in, who is in the lobby: first nobody, then each who joins and each who leaves. Who came
 * before it was subscribed to is not in it. It completes when its source has, and the last player has left: to close a lobby,
 * end the source (`takeUntil`), close each socket, and wait for that.
 *
 * @example
 * lobbyGate({ server, client }).pipe(players()).subscribe(({ count }) => console.log(`${count} playing`));
 */
export function players(): OperatorFunction<LobbySocket, LobbyPlayers> {
  return source =>
    source.pipe(
      mergeMap(socket =>
        concat(of({ socket, isIn: true }), socket.closed$.pipe(map(() => ({ socket, isIn: false })))),
      ),
      fold((before: LobbyPlayers, { socket, isIn }) => {
        const sockets = new Set(before.sockets);
        if (isIn) sockets.add(socket);
        else sockets.delete(socket);
        const [joined, left] = isIn ? [[socket], []] : [[], [socket]];
        return { sockets, count: sockets.size, joined, left };
      }, NOBODY),
    );
}
