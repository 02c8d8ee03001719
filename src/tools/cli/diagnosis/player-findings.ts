import { map, type Observable } from 'rxjs';
import { whyNotConnected, type Client } from '../../../client/index.js';
import { either } from '../../../endpoint/index.js';
import { failed, ok, problem, type Finding } from './finding.js';

/** Confirms a player token, which can be done once. */
export function playerFindings(
  client: Pick<Client, 'matchmaker'>,
  player_token: string,
): Observable<Finding> {
  return client.matchmaker.players.connected({ player_token }).pipe(
    either(),
    map(answer => {
      if (answer._tag === 'Right') return ok('player', 'the token is accepted, and the player is connected');
      const why = whyNotConnected(answer.left);
      if (why.outcome !== 'refused' || why.reason === 'unauthorized') return failed('player', answer.left);
      return problem(
        'player',
        `the token is refused: ${why.reason}`,
        'use a new one: each is valid once, for two minutes',
      );
    }),
  );
}
