import { redact } from './redact.js';
import { redactJson } from './redact-json.js';

/** The body of an answer with every secret in it blotted out: in JSON however it was escaped there, else where it stands. */
export function redactBody(text: string, secrets: readonly string[]): string {
  try {
    return JSON.stringify(redactJson(JSON.parse(text), secrets));
  } catch {
    return redact(text, secrets);
  }
}
