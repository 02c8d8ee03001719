import { useState } from 'preact/hooks';

/** Copies a text, which need not be shown. */
export function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
  const [done, setDone] = useState('');
  const copy = async () => {
    const asked = text();
    try {
      await write(asked);
      setDone('copied');
    } catch {
      setDone(
        await asked.then(
          () => 'the browser does not allow it',
          (error: unknown) => (error as Error).message,
        ),
      );
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {label}
      <span role="status">{done && `: ${done}`}</span>
    </button>
  );
}

/** Writes what is still being asked for: WebKit allows it only while the press is handled. */
async function write(asked: Promise<string>): Promise<void> {
  const { clipboard } = navigator;
  if (typeof ClipboardItem === 'undefined') return clipboard.writeText(await asked);
  const blob = asked.then(text => new Blob([text], { type: 'text/plain' }));
  // It may be refused before anybody waits for the text.
  blob.catch(() => undefined);
  return clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
