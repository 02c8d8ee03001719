import { useEffect, useState } from 'preact/hooks';
import { watchSignals } from '../../../stream/index.js';
import type { SavedWorld, SeededWorld } from '../../emulator/index.js';
import { CopyButton } from './copy-button.js';
import type { EmulatorClient } from './emulator-client.js';

/** How to connect a game: as code, in a shell, or as a player in this page. */
export function Connect({ client, who_id }: { client: EmulatorClient; who_id: string }) {
  const [isPlaying, play] = useState(false);
  const token = () => tokenOf(client, who_id);
  const code = (shown: string) => `createClient({
  url: '${location.origin}',
  token: '${shown}',
})`;
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect a game</h2>
      <pre tabIndex={0}>{code('…')}</pre>
      <div class="chips">
        <CopyButton label="Copy with token" text={async () => code(await token())} />
        <CopyButton
          label="Copy for a shell"
          text={async () => `export LOBBY_RX_URL=${location.origin} LOBBY_RX_TOKEN=${await token()}`}
        />
        <CopyButton label="Copy the token" text={token} />
        <button type="button" aria-pressed={isPlaying} onClick={() => play(!isPlaying)}>
          Demo player
        </button>
      </div>
      {isPlaying && <DemoPlayer key={who_id} token={token} />}
    </section>
  );
}

/** A client in this page, which follows the live events of a player. */
function DemoPlayer({ token }: { token: () => Promise<string> }) {
  const [shown, show] = useState('connecting');
  useEffect(() => {
    const watching = watchSignals(async (index, { signal }) => {
      const query = index === undefined ? '' : `?watch_index=${index}`;
      const headers = { authorization: `Bearer ${await token()}` };
      const response = await fetch(`/identity/events/live${query}`, { headers, signal });
      if (!response.ok) throw new Error(`the service answered ${response.status}`);
      return (await response.json()) as { watch: { index: string }; events: readonly { kind: object }[] };
    }).subscribe({
      next: signal => {
        if (signal.kind === 'status') show(signal.status.state);
        if (signal.kind !== 'answer') return;
        const kinds = signal.answer.events.flatMap(({ kind }) => Object.keys(kind));
        if (kinds.length > 0) show(`got ${kinds.join(', ').replaceAll('_', ' ')}`);
      },
      error: (error: unknown) => show(String(error)),
    });
    return () => watching.unsubscribe();
  }, []);
  return <p role="status">Demo player: {shown}</p>;
}

/** The latest token of an identity, which the page does not show. */
async function tokenOf(client: EmulatorClient, who_id: string): Promise<string> {
  const { saved, world } = JSON.parse(await client.save()) as { saved: SavedWorld; world: SeededWorld };
  const own = saved.bearers.filter(([, { id, expired }]) => id === who_id && !expired);
  return own.at(-1)?.[0] ?? world.identityToken;
}
