import { isWellFormed } from './argument.js';

const MIN_SECRET_LENGTH = 4;

/**
 * Replaces every secret in a text with `[secret]`, also where a URL quotes it, however its characters are percent-encoded. Secrets of
 * fewer than four characters are left alone: they are no real secrets, and replacing them would make any message unreadable.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return (
    secrets
      .filter(secret => secret.length >= MIN_SECRET_LENGTH)
      // If one secret is a prefix of another, replacing it first would leave the rest of the other readable.
      .sort((a, b) => b.length - a.length)
      .reduce((before, secret) => {
        const clean = before.replaceAll(secret, '[secret]');
        return clean.includes('%') && isWellFormed(secret)
          ? clean.replace(percentEncoded(secret), '[secret]')
          : clean;
      }, text)
  );
}

function percentEncoded(secret: string): RegExp {
  const either = (character: string) => {
    const code = character.codePointAt(0)!;
    const hex = code.toString(16);
    return `(?:\\u{${hex}}|${code < 128 ? `%${hex.padStart(2, '0')}` : encodeURIComponent(character)})`;
  };
  return new RegExp(Array.from(secret, either).join(''), 'giu');
}

/** Redacts the body of an answer. In JSON, secrets are found however they are escaped; in other text, only literally. */
export function redactBody(text: string, secrets: readonly string[]): string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return redact(text, secrets);
  }
  try {
    return JSON.stringify(redactJson(json, secrets));
  } catch {
    // Nested deeper than the call stack: what is in it is unknown, so that nothing of it is shown.
    return '';
  }
}

/**
 * Top-level keys are kept: they belong to the format of the error body. Otherwise a player could remove the `code` field
 * by using `code` as their token.
 */
function redactJson(value: unknown, secrets: readonly string[], isTop = true): unknown {
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

/** Words that are no tokens: plain ones, perhaps in quotes or brackets, and short numbers. Everything else may be one. */
const PLAIN_WORD = /^["'`([]*([A-Za-z]{1,20}|\d{1,3})([-'_/][A-Za-z]{1,20})*["'`)\].,:;!?]*$/;

/**
 * A copy of an error of unknown origin, without anything in it that may be a token: its name, its code, and the plain words of
 * its message.
 */
export function redactError(error: unknown, secrets: readonly string[]): Error {
  const clean = (given: unknown) =>
    redact(String(given), secrets)
      .slice(0, 300)
      .split(/\s+/)
      .map(word => (PLAIN_WORD.test(word) ? word : '[secret]'))
      .join(' ');
  try {
    const { name, code, message } = Object(error) as Partial<Record<'name' | 'code' | 'message', unknown>>;
    const text = typeof error === 'string' ? error : typeof message === 'string' ? message : typeof error;
    return Object.assign(new Error(clean(text)), {
      ...(typeof name === 'string' && { name: clean(name) }),
      ...((typeof code === 'string' || typeof code === 'number') && { code: clean(code) }),
    });
  } catch {
    // Anything can be thrown, even what has no text.
    return new Error(typeof error);
  }
}
