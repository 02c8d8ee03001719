import { useEffect, useRef } from 'preact/hooks';
import type { Type } from './quoted.js';

/** Anything that can be typed in the terminal, with completion. Ctrl+K, or ⌘K, leads to it. */
export function Palette({ help, faults, type }: { help: string; faults: readonly string[]; type: Type }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      input.current!.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const commands = help.split('\n').map(line => line.split(/ {2,}/) as [string, string?]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { value } = input.current!;
    input.current!.value = '';
    void type(value);
  };
  return (
    <form class="palette" onSubmit={submit}>
      <input
        ref={input}
        list="commands"
        aria-label="Type a command"
        placeholder="Ctrl+K: do anything"
        autocomplete="off"
        required
      />
      <datalist id="commands">
        {commands.map(([usage, summary]) => (
          <option key={usage} value={usage.replace(/ [A-Z[].*/, '')}>
            {summary}
          </option>
        ))}
        {faults.map(kind => (
          <option key={kind} value={`fault ${kind}`} />
        ))}
      </datalist>
    </form>
  );
}
