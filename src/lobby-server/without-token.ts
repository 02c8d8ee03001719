import { redact } from '../error/index.js';

/** Replaces a token in a text from elsewhere, as it is and percent-encoded. */
export function withoutToken(text: string, token: string): string {
  return redact(text, [token]);
}
