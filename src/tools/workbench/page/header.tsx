import type { WatchStatus } from '../../../stream/index.js';
import type { EmulatorClient } from './emulator-client.js';
import type { ShownResult } from './result.js';

/** What this page is, by the status of its own watch. */
const STATES: Readonly<Record<string, string>> = {
  live: 'connected to the emulator',
  closed: 'not let in',
  idle: 'connecting',
  connecting: 'connecting',
};

/** Whether the emulator answers, and its files. */
export function Header({
  status,
  client,
  attempt,
  children,
}: {
  status: WatchStatus | undefined;
  client: EmulatorClient;
  attempt: (act: () => Promise<ShownResult>) => Promise<void>;
  children: preact.ComponentChildren;
}) {
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
      <h1>workbench</h1>
      <span class={state === 'live' ? 'ok' : 'warn'} role="status">
        {state === 'live' ? '● ' : '▲ '}
        {STATES[state] ?? 'the emulator does not answer'}
      </span>
      {children}
      <button type="button" class="wide" onClick={() => void attempt(save)}>
        Save the world
      </button>
    </header>
  );
}
