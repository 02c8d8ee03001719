import { concat, map, mergeMap, of, type OperatorFunction } from 'rxjs';
import { scanState } from '../../client/index.js';
import type { PlayerSocket } from './player-socket.js';

/** The players in a lobby, and the one that has just joined or left. */
export interface LobbyPlayers {
  readonly sockets: ReadonlySet<PlayerSocket>;
  /** The number of sockets. It is the player count that a lobby displays. */
  readonly count: number;
  readonly joined: readonly PlayerSocket[];
  readonly left: readonly PlayerSocket[];
}

const EMPTY_LOBBY: LobbyPlayers = { sockets: new Set(), count: 0, joined: [], left: [] };

/**
 * Turns the sockets of a gate into the players of a lobby. Emits an empty lobby first, then a value
 * each time a player joins or leaves. Players admitted before the subscription are not included. It
 * completes when its source has completed and the last player has left. So to close a lobby, end
 * the source (`takeUntil`), close every socket, and wait for completion.
 *
 * @example
 * lobbyGate({ server, client })
 *   .pipe(players())
 *   .subscribe(({ count }) => console.log(`${count} playing`));
 */
export function players(): OperatorFunction<PlayerSocket, LobbyPlayers> {
  return source =>
    source.pipe(
      mergeMap(socket =>
        concat(of({ socket, isIn: true }), socket.closed$.pipe(map(() => ({ socket, isIn: false })))),
      ),
      scanState((before: LobbyPlayers, { socket, isIn }) => {
        const sockets = new Set(before.sockets);
        if (isIn) sockets.add(socket);
        else sockets.delete(socket);
        const joined = isIn ? [socket] : [];
        const left = isIn ? [] : [socket];
        return { sockets, count: sockets.size, joined, left };
      }, EMPTY_LOBBY),
    );
}
