import type { WatchStatus } from '../../../stream/index.js';

/** The words for the page's connection, by the status of its watch of the emulator. */
const STATES: Readonly<Record<string, string>> = {
  live: 'connected',
  closed: 'not let in',
  connecting: 'connecting',
};

/** The first line of the page. It shows whether the emulator answers, then its children. */
export function Header({
  status,
  children,
}: {
  status: WatchStatus | undefined;
  children?: preact.ComponentChildren;
}) {
  const { state = 'connecting' } = status ?? {};
  return (
    <header>
      <h1>workbench</h1>
      <span class={state === 'live' ? 'ok' : 'warn'} role="status">
        {state === 'live' ? '● ' : '▲ '}
        {STATES[state] ?? 'the emulator does not answer'}
      </span>
      {children}
    </header>
  );
}
