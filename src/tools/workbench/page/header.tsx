import type { WatchStatus } from '../../../stream/index.js';

/** The words for the page's connection, by the status of its watch of the emulator. */
const STATES: Readonly<Record<string, string>> = {
  live: 'connected',
  closed: 'not let in',
  connecting: 'connecting',
};

interface HeaderProps {
  readonly status: WatchStatus | undefined;
  readonly children?: preact.ComponentChildren;
}

/** The first line of the page. It shows whether the emulator answers, then its children. */
export function Header({ status, children }: HeaderProps) {
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
