import type { Type } from '../do/index.js';
import type { Player } from './players-of.js';

/** What stands before the words: colour is not all that tells. */
const SIGNS: Readonly<Record<Player['tone'], string>> = { ok: '●', warn: '▲', bad: '■', gone: '○' };

/** A card for each player. The page is about the chosen one, or about all. */
export function Players({
  players,
  chosen,
  choose,
}: {
  players: readonly Player[];
  chosen: string | undefined;
  choose: (who_id: string | undefined) => void;
}) {
  return (
    <section aria-labelledby="players">
      <h2 id="players">Players ({players.length})</h2>
      {players.map(({ who, who_id, tone, words, topics }) => (
        <button
          key={who_id}
          type="button"
          class="card"
          aria-pressed={chosen === who_id}
          onClick={() => choose(chosen === who_id ? undefined : who_id)}
        >
          <b>{who}</b>
          <span class={tone}>
            {SIGNS[tone]} {words}
          </span>
          <small>{topics.join(', ')}</small>
        </button>
      ))}
    </section>
  );
}

/** What is the matter with a player, and the one thing that helps. `renew` makes a token. */
export function VerdictView({ player, renew, type }: { player: Player; renew: string; type: Type }) {
  const { who, tone, words, remedy } = player;
  const line = remedy === 'faults' ? 'fault off' : renew;
  return (
    <div class="verdict">
      <span class={tone}>{SIGNS[tone]}</span>
      <span>
        <b>{who}</b>: {words}.
      </span>
      <button type="button" onClick={() => void type(line)}>
        {remedy === 'faults' ? 'No more faults' : 'Make a new token'}
      </button>
    </div>
  );
}
