import type { SavedWorld, SeededWorld } from '../../emulator/index.js';
import { CopyButton } from './copy-button.js';
import type { EmulatorClient } from './emulator-client.js';

/** The text of `program.txt`, as the build puts it in. */
declare const PROGRAM: string;

/** How to connect a game: as code, in a shell, or as a player in this page. */
export function Connect({
  client,
  who_id,
  group_id,
  isPlaying,
  play,
}: {
  client: EmulatorClient;
  who_id: string;
  group_id: string;
  isPlaying: boolean;
  play: (isPlaying: boolean) => void;
}) {
  const token = () => tokenOf(client, who_id);
  const code = (shown: string) =>
    PROGRAM.replace('URL', location.origin).replace('TOKEN', shown).replace('GROUP', group_id);
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect a game</h2>
      <pre tabIndex={0}>{code('…')}</pre>
      <div class="chips">
        <CopyButton label="Copy with token" text={async () => code(await token())} />
        <CopyButton
          label="Copy for a shell"
          text={async () =>
            `export LOBBY_RX_URL=${location.origin} LOBBY_RX_TOKEN=${await token()} LOBBY_RX_GROUP=${group_id}`
          }
        />
        <CopyButton label="Copy the token" text={token} />
        <button type="button" aria-pressed={isPlaying} onClick={() => play(!isPlaying)}>
          {isPlaying ? 'Stop the demo player' : 'Start the demo player'}
        </button>
      </div>
    </section>
  );
}

/** The latest token of an identity, which the page does not show. */
export async function tokenOf(client: EmulatorClient, who_id: string): Promise<string> {
  const { saved, world } = JSON.parse(await client.save()) as { saved: SavedWorld; world: SeededWorld };
  const own = saved.bearers.filter(([, { id, expired }]) => id === who_id && !expired);
  return own.at(-1)?.[0] ?? world.identityToken;
}
