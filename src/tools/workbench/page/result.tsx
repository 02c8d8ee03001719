import { useEffect } from 'preact/hooks';
import { CopyButton } from './copy-button.js';
import type { Result } from './emulator-client.js';

/** The result of a command, or its error. */
export type ShownResult = Result | Error | undefined;

/** How long a result is shown that has no token and is not an error, in ms. */
const RESULT_SHOWN_MS = 5_000;

/** The result of the last command. An error, or a result with a token, stays until it is closed. */
export function ResultView({ result, close }: { result: ShownResult; close: () => void }) {
  const { token } = (result ?? {}) as { readonly token?: string };
  useEffect(() => {
    if (result instanceof Error || token !== undefined) return undefined;
    const timer = setTimeout(close, RESULT_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  if (result === undefined) return <aside hidden />;
  return (
    <aside>
      <output class={result instanceof Error ? 'bad' : ''}>
        {result instanceof Error ? result.message : textOf(result)}
      </output>
      {token !== undefined && <CopyButton label="Copy the token" text={() => Promise.resolve(token)} />}
      <button aria-label="Close" onClick={close}>
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
