import { redact } from './redact.js';

/**
 * The body of an answer with every secret in it blotted out: in JSON wherever a text or a key holds one, however it was
 * escaped there, and in anything else where it stands.
 */
export function redactBody(text: string, secrets: readonly string[]): string {
  try {
    return JSON.stringify(clean(JSON.parse(text), secrets));
  } catch {
    return redact(text, secrets);
  }
}

function clean(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map(item => clean(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key, secrets), clean(item, secrets)]),
  );
}
