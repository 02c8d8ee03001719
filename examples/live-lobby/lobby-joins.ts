import { concat, defer, ignoreElements, map, mergeMap, tap, timer, type Observable } from 'rxjs';
import { either, isStatusError, type Client, type EventFeed } from 'lobby-rx';
import type { Screen } from './screen.js';

/**
 * Confirms the player of each lobby join, as a lobby server does when the player's socket opens.
 * The second player cheats and uses the token twice. The third one connects a quarter of the
 * duration (in ms) later, when the token has expired.
 */
export function confirmPlayers(feed: EventFeed, lobby: Client, screen: Screen, duration: number) {
  const { counts } = screen;
  const confirm = (player_token: string, who: string): Observable<unknown> =>
    lobby.matchmaker.players.connected({ player_token }).pipe(
      // Turns a refusal into a value: an error would end the stream for all further players.
      either(),
      tap(result => {
        if (result._tag === 'Right') {
          counts.connected++;
          return screen.line('admitted', who, 'players.connected said OK');
        }
        const error = result.left;
        const code = isStatusError(error) ? error.code : error._tag;
        if (code === 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED') counts.expired++;
        else counts.refused++;
        screen.line('refused', who, `${code}`);
      }),
    );

  return feed.lobbyJoin$.pipe(
    map((join, i) => ({ ...join, who: `player ${i + 1}` })),
    tap(({ lobby: { region }, ports, who }) => {
      const [port] = Object.values(ports);
      screen.line('lobby', who, `is sent to ${region.display_name}, ${port?.host ?? '?'}`);
    }),
    mergeMap(({ player: { token }, who }, i) => {
      if (i === 1)
        return concat(
          confirm(token, who),
          defer(() => confirm(token, `${who} again`)),
        );
      if (i === 2) return timer(duration / 4 + 100).pipe(mergeMap(() => confirm(token, `${who}, late`)));
      return confirm(token, who);
    }),
    ignoreElements(),
  );
}
