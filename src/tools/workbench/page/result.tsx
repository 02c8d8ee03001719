import { CopyButton } from './copy-button.js';
import type { Result } from './emulator-client.js';

/** What came of a command. */
export type ShownResult = Result | Error | undefined;

/** What came of the last command; a token that it made can be copied. */
export function ResultView({ result, close }: { result: ShownResult; close: () => void }) {
  if (result === undefined) return <aside hidden />;
  const { token } = result as { readonly token?: string };
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
    .map(([name, value]) => (name === 'message' ? String(value) : `${name}: ${String(value)}`))
    .join('\n');
