import type { ComponentChildren } from 'preact';
import type { Result } from '../emulator-client.js';

/** Runs a command, and shows what it has done. */
export type Run = (command: string, fields?: object) => Promise<void>;
export type ShownResult = Result | Error | undefined;

/** A form whose fields are those of a command; empty ones are left out. */
export function CommandForm({
  command,
  label,
  run,
  children,
}: {
  command: string;
  label: string;
  run: Run;
  children?: ComponentChildren;
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const data = [...new FormData(event.currentTarget as HTMLFormElement)];
    void run(command, Object.fromEntries(data.filter(([, value]) => value !== '')));
  };
  return (
    <form onSubmit={submit}>
      {children}
      <button>{label}</button>
    </form>
  );
}
