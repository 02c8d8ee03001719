import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest } from '../world-view.js';
import type { ShownResult } from './actions/index.js';
import type { SeenClient } from './clients/index.js';
import { CopyButton } from './copy-button.js';
import type { EmulatorClient } from './emulator-client.js';

/** What this page is, by the status of its own watch. */
const STATES: Readonly<Record<string, string>> = {
  live: 'connected to the emulator',
  closed: 'not let in',
  idle: 'connecting',
  connecting: 'connecting',
};

/** Where the emulator is, who is connected to it, and its files. */
export function Header({
  clients,
  requests,
  status,
  client,
  attempt,
}: {
  clients: readonly SeenClient[];
  requests: readonly SeenRequest[];
  status: WatchStatus | undefined;
  client: EmulatorClient;
  attempt: (act: () => Promise<ShownResult>) => Promise<void>;
}) {
  const present = clients.filter(({ state }) => state !== 'gone').length;
  const held = requests.filter(({ is_poll, ended_at }) => is_poll && ended_at == null).length;
  const { state = 'idle' } = status ?? {};
  const save = async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([await client.save()], { type: 'application/json' }));
    link.download = 'world.json';
    link.click();
    URL.revokeObjectURL(link.href);
    return { message: 'the world is saved' };
  };
  return (
    <header>
      <h1>lobby-rx workbench</h1>
      <span class={state === 'live' ? 'polling' : 'retrying'} role="status">
        {STATES[state] ?? 'the emulator does not answer'}
      </span>
      <CopyButton label={location.origin} text={() => Promise.resolve(location.origin)} />
      <span>
        {present} {present === 1 ? 'client' : 'clients'}, {held} {held === 1 ? 'poll' : 'polls'} held
      </span>
      <span class="files">
        <button type="button" class="quiet" onClick={() => void attempt(save)}>
          Save the world
        </button>
      </span>
    </header>
  );
}
