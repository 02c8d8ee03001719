import { redact } from '../protocol/index.js';

/** What a hook failed with, as a line for the log, without what is secret in it. */
export function errorText(error: unknown, secrets: readonly string[]): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return redact(text, secrets).slice(0, 300);
}
