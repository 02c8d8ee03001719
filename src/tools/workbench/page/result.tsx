import { useEffect } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import type { Result } from './emulator-client.js';

/** What came of a command. */
export type ShownResult = Result | Error | undefined;

/** How long it is shown what needs no answer, in ms. */
const SHOWN_MS = 5_000;

/** What came of the last command. What is wrong, or has a token to be copied, stays. */
export function ResultView({ result, close }: { result: ShownResult; close: () => void }) {
  const { token } = (result ?? {}) as { readonly token?: string };
  useEffect(() => {
    if (result instanceof Error || token !== undefined) return undefined;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  if (result === undefined) return <aside hidden />;
  return (
    <aside>
      <output class={result instanceof Error ? 'bad' : ''}>
        {result instanceof Error ? result.message : textOf(result)}
      </output>
      {token !== undefined && <CopyButton label="Copy the token" text={() => Promise.resolve(token)} />}
      <button type="button" aria-label="Close" onClick={close}>
        ×
      </button>
    </aside>
  );
}

const textOf = (result: Result) =>
  Object.entries(result)
    .filter(([name]) => name !== 'ts')
    .map(([name, value]) => (name === 'message' ? String(value) : `${name}: ${String(value)}`))
    .join('\n');
