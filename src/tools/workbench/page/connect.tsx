import { CopyButton } from './copy-button.js';
import type { EmulatorClient } from './emulator-client.js';
import type { Subject } from './subject-of.js';

/** The text of `program.txt`. The build inserts it. */
declare const PROGRAM: string;

interface ConnectProps {
  readonly client: EmulatorClient;
  readonly subject: Subject;
  readonly isPlaying: boolean;
  readonly play: (isPlaying: boolean) => void;
}

/** How to connect a game: as code, in a shell, or as a player in this page. */
export function Connect({
  client,
  subject: { who_id, name, group_id, renewalOf },
  isPlaying,
  play,
}: ConnectProps) {
  // With an expired token, the game would be rejected at once.
  const token = async () => {
    const { token, expired } = await client.bearerOf(who_id);
    return expired ? String((await client.type(renewalOf(who_id))).token) : token;
  };
  // If there is no token, the demo player starts too and shows the error.
  const start = () =>
    token()
      .catch(() => undefined)
      .then(() => play(true));
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
        <button aria-pressed={isPlaying} onClick={() => (isPlaying ? play(false) : void start())}>
          {isPlaying ? 'Stop the demo player' : 'Start the demo player'}
        </button>
      </div>
      <p>
        The token is that of {name}. After the line for a shell, <code>npx lobby-rx events</code> is a client.
      </p>
    </section>
  );
}
