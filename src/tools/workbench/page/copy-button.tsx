import { useState } from 'preact/hooks';

/** Copies a text, which need not be shown. */
export function CopyButton({ label, text }: { label: string; text: () => Promise<string> }) {
  const [done, setDone] = useState('');
  const copy = () => {
    text()
      .then(copied => navigator.clipboard.writeText(copied))
      .then(
        () => setDone('copied'),
        () => setDone('the browser does not allow it'),
      );
  };
  return (
    <button type="button" onClick={copy}>
      {label}
      <span role="status">{done && `: ${done}`}</span>
    </button>
  );
}
