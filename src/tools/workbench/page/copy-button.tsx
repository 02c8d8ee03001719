import { useState } from 'preact/hooks';

/** A button that copies a text. The text need not be on the page. */
export function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
  const [done, setDone] = useState('');
  const copy = async () => {
    const pending = text();
    try {
      await write(pending);
      setDone('copied');
    } catch {
      const reason = await pending.then(
        () => 'the browser does not allow it',
        (error: unknown) => (error as Error).message,
      );
      setDone(reason);
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {label}
      <span role="status">{done && `: ${done}`}</span>
    </button>
  );
}

/**
 * Writes a text that has not arrived yet. WebKit allows a write only while it handles the press,
 * so the write starts before the text is here.
 */
async function write(pending: Promise<string>): Promise<void> {
  const { clipboard } = navigator;
  if (typeof ClipboardItem === 'undefined') return clipboard.writeText(await pending);
  const blob = pending.then(text => new Blob([text], { type: 'text/plain' }));
  // The browser may reject the write without reading the blob.
  blob.catch(() => undefined);
  return clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
