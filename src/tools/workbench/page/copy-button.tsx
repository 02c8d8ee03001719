import { useState } from 'preact/hooks';

/** A button that copies a text. The text need not be on the page. */
export function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
  const [done, setDone] = useState('');
  const copy = () => {
    const pending = text();
    const reason = () => pending.then(() => 'the browser does not allow it').catch(messageOf);
    return write(pending)
      .then(() => 'copied', reason)
      .then(setDone);
  };
  return (
    <button onClick={() => void copy()}>
      {label}
      <span role="status">{done && `: ${done}`}</span>
    </button>
  );
}

const messageOf = (error: unknown) => (error as Error).message;

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
