import { useState } from 'preact/hooks';
import type { WorldView } from '../../world-view.js';
import type { Type } from './quoted.js';

/** What people see break, and what a player of lobby-rx should then see. Polls that are held meet it, too. */
const BREAKS = [
  ['down', 'Service down 10 s', 'tries again, and is live within seconds of its return; nothing is lost'],
  ['proxy', 'Proxy answers 502', 'tries again twice, and is live within a second or two'],
  [
    'cut',
    'Poll is cut',
    'loses nothing: the poll is sent again at once; if it was held for less than 5 s, that is a failure',
  ],
  ['limit', 'Rate limited', 'waits as long as the service says, and is live after it'],
  ['lose', 'Events lost', 'gets a gap before the next event: something may have been missed'],
  ['restart', 'Service restarts', 'tries again, and is live within seconds; nothing is lost'],
] as const;

/** A line as its button names it. */
export const spoken = (line: string): string =>
  BREAKS.find(([name]) => line === `break ${name}`)?.[1] ?? line;

/** What can be broken for all players, what they should see then, and what is broken now. */
export function Breaks({ planned, type }: { planned: WorldView['planned']; type: Type }) {
  const [seen, setSeen] = useState('');
  return (
    <section aria-labelledby="breaks">
      <h2 id="breaks">What breaks?</h2>
      <div class="chips">
        {BREAKS.map(([name, label, expected]) => (
          <button
            key={name}
            type="button"
            onClick={() => {
              setSeen(`${label}: a player ${expected}.`);
              void type(`break ${name}`);
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <p role="status">{seen}</p>
      <p>
        {planned.length === 0 && 'No fault is planned.'}
        {planned.length > 0 &&
          `Planned: ${planned.map(({ kind, left }) => `${kind} × ${left.replace('Infinity', '∞')}`).join(', ')} `}
        {planned.length > 0 && (
          <button type="button" onClick={() => void type('fault off')}>
            No more faults
          </button>
        )}
      </p>
    </section>
  );
}
