import { redact } from './redact.js';

/**
 * A JSON value with every secret in it blotted out, wherever a text holds one, and a key too below the first level, where
 * keys are the document's own.
 */
export function redactJson(value: unknown, secrets: readonly string[], isTop = true): unknown {
  if (typeof value === 'string') return redact(value, secrets);
  if (Array.isArray(value)) return value.map(item => redactJson(item, secrets, false));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      isTop ? key : redact(key, secrets),
      redactJson(item, secrets, false),
    ]),
  );
}
