import type { WorldView } from '../../world-view.js';
import { clientsOf, type SeenClient } from './clients-of.js';
import { CopyButton } from '../copy-button.js';
import { inWords, topicOf } from '../requests/index.js';

const STATES: Readonly<Record<SeenClient['state'], string>> = {
  polling: 'polling',
  retrying: 'retrying',
  between: 'between two requests',
  gone: 'gone',
};

/** Who is connected: a card for each token in use, which shows only its own requests if it is chosen. */
export function Clients({
  clients,
  groups,
  only,
  choose,
}: {
  clients: ReturnType<typeof clientsOf>;
  groups: WorldView['groups'];
  only: string | undefined;
  choose: (who_id: string | undefined) => void;
}) {
  return (
    <section aria-labelledby="clients">
      <h2 id="clients">Clients</h2>
      {clients.length === 0 && <p>None yet.</p>}
      {clients.map(({ who, who_id, state, paths, since, last }) => (
        <article key={who_id}>
          <label>
            <input
              type="checkbox"
              checked={only === who_id}
              onChange={() => choose(only === who_id ? undefined : who_id)}
              aria-label={`Only ${who}`}
            />
            <strong>{who}</strong> <span class={state}>{STATES[state]}</span>
          </label>
          <small>
            {paths.map(path => topicOf(path, groups)).join(', ')}, since{' '}
            {new Date(since).toLocaleTimeString()}
          </small>
          {last && <small>last: {inWords(last)}</small>}
        </article>
      ))}
    </section>
  );
}

/** How to point a client here. `exports` is a line for a shell, with a token. */
export function NoClient({ exports }: { exports: () => Promise<string> }) {
  return (
    <article>
      <p>No client has come yet. Point one here, in a shell:</p>
      <pre tabIndex={0}>{`export LOBBY_RX_URL=${location.origin} LOBBY_RX_TOKEN=…
npx lobby-rx events`}</pre>
      <CopyButton label="Copy the first line, with a token" text={exports} />
      <p>Or in code. “Someone joins” makes further players, each with a token.</p>
      <pre tabIndex={0}>{`const client = createClient({
  url: '${location.origin}',
  token: process.env.LOBBY_RX_TOKEN!,
});
client.events.feed.all$.subscribe(render); // yours`}</pre>
    </article>
  );
}
