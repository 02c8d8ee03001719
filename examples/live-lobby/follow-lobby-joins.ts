import { concat, defer, delay, ignoreElements, map, mergeMap, of, tap, type Observable } from 'rxjs';
import { either, isStatusError, type Client, type EventFeed } from 'lobby-rx';
import type { Screen } from './screen.js';
import type { Summary } from './summary.js';

/**
 * Each lobby join followed through, as the lobby's server would when the player's socket opens. The second one cheats and
 * uses its token twice; the third comes too late.
 */
export function followLobbyJoins(
  feed: EventFeed,
  gate: Client,
  screen: Screen,
  summary: Summary,
  seconds: number,
) {
  const confirm = (player_token: string, who: string): Observable<unknown> =>
    gate.matchmaker.players.connected({ player_token }).pipe(
      either(),
      tap(result => {
        if (result._tag === 'Right') {
          summary.connected++;
          return screen.line('admitted', who, 'players.connected said OK');
        }
        const error = result.left;
        const code = isStatusError(error) ? error.code : error._tag;
        if (code === 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED') summary.expired++;
        else summary.refused++;
        screen.line('refused', who, `${code}`);
      }),
    );

  return feed.lobbyJoin$.pipe(
    map((join, i) => ({ ...join, nth: i + 1 })),
    tap(({ lobby, ports, nth }) => {
      const [port] = Object.values(ports);
      screen.line('lobby', `player ${nth}`, `is sent to ${lobby.region.display_name}, ${port?.host ?? '?'}`);
    }),
    mergeMap(({ player, nth }) => {
      const who = `player ${nth}`;
      const once$ = defer(() => confirm(player.token, who));
      if (nth === 2)
        return concat(
          once$,
          defer(() => confirm(player.token, `${who} again`)),
        );
      if (nth === 3)
        return of(0).pipe(
          delay((seconds * 1000) / 4 + 100),
          mergeMap(() => confirm(player.token, `${who}, late`)),
        );
      return once$;
    }),
    ignoreElements(),
  );
}
