import { isWellFormed } from './guard.js';
import { readOr } from './guarded.js';
import { causeOf, MAX_CAUSES } from './tagged-error.js';

/** A shorter one is no real secret: without all that is like it, any message would become unreadable. */
const MIN_LENGTH = 4;

/** Of shorter ones, the encoded forms, and those in letters of another case, are too common to be replaced. */
const MIN_ENCODED_LENGTH = 6;

/** So often a text may have been escaped: JSON in a string of JSON, a URL in the query of a URL. */
const MAX_ESCAPES = 3;

const MASK = '[secret]';

/**
 * Replaces every secret in a text with `[secret]`, in letters of any case: as it is; in Base64, wherever that begins; in hexadecimal digits; and each of these
 * with characters that are escaped as in URLs, JSON or HTML, up to three times. If it finds one in escapes, these are undone.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return redactorOf(secrets)(text);
}

function redactorOf(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter(secret => secret.length >= MIN_LENGTH)
    // If one secret begins another, replacing it first would leave the rest of the other readable.
    .sort((a, b) => b.length - a.length)
    .flatMap(formsOf);
  const hideIn = (text: string) => forms.reduce(hideForm, text);
  const shownAt = (text: string, escapes: number): string => {
    const clean = hideIn(text);
    if (escapes === MAX_ESCAPES) return clean;
    // A secret may itself have what looks like an escape, so that each kind is undone by itself, and all of them together.
    for (const escape of text.length > MAX_THOROUGH ? [ANY_ESCAPE] : ESCAPES) {
      const view = clean.replace(escape, unescaped);
      const shown = view === clean ? view : shownAt(view, escapes + 1);
      if (shown !== view) return shown;
    }
    return clean;
  };
  return text => shownAt(text, 0);
}

/** Whoever repeats a secret may have changed its case. Not by a pattern, which cannot be as long as a secret may be. */
function hideForm(text: string, form: string): string {
  if (form.length < MIN_ENCODED_LENGTH) return text.replaceAll(form, MASK);
  const [folded, wanted] = [inLowerCase(text), inLowerCase(form)];
  const parts: string[] = [];
  let from = 0;
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
    parts.push(text.slice(from, at));
    from = at + form.length;
  }
  return from === 0 ? text : [...parts, text.slice(from)].join(MASK);
}

/** Letters of ASCII only: others may change the length of the text. */
const inLowerCase = (text: string) => text.replace(/[A-Z]+/g, letters => letters.toLowerCase());

/** In a longer text, escapes of all kinds are undone together: the time would grow with the number of their orders. */
const MAX_THOROUGH = 10_000;

/** The forms of a secret that are not made by escaping single characters. */
function formsOf(secret: string): readonly string[] {
  if (secret.length < MIN_ENCODED_LENGTH || !isWellFormed(secret)) return [secret];
  // As UTF-8.
  const bytes = (encodeURIComponent(secret).match(/%..|./g) ?? []).map(part =>
    part.length > 1 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0),
  );
  const hex = bytes.map(byte => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map(shift => base64Of(bytes, shift));
  const ofUrls = base64.map(text => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [secret, hex, ...new Set([...base64, ...ofUrls])];
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes in Base64, after so many others, and before any: without the digits that depend on these. */
function base64Of(bytes: readonly number[], shift: number): string {
  let text = '';
  let rest = 0;
  let bits = 0;
  for (const byte of [...[0, 0].slice(0, shift), ...bytes]) {
    rest = ((rest << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 6; bits -= 6) text += BASE64.charAt((rest >> (bits - 6)) & 63);
  }
  return text.slice(Math.ceil((shift * 8) / 6));
}

/** Escaped characters: of a URL, as UTF-8; of JSON or JavaScript; of HTML. The groups of all kinds have the same order. */
const ANY_ESCAPE =
  /(?:%|\\x)([0-7][\da-f])|\\u([\da-f]{4})|&#x([\da-f]{1,6});|&#(\d{1,7});|((?:%[89a-f][\da-f])+)|\\(["'\\/bfnrt])|&(amp|lt|gt|quot|apos);/gi;
const ESCAPES = [
  ANY_ESCAPE,
  ...['%', '\\\\', '&'].map(kind => new RegExp(`(?=${kind})(?:${ANY_ESCAPE.source})`, 'gi')),
];
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

function unescaped(
  escape: string,
  ...[byte, unit, hex, decimal, utf8, plain, name]: readonly (string | undefined)[]
): string {
  const digits = byte ?? unit ?? hex;
  return readOr(escape, () => {
    if (digits ?? decimal)
      return String.fromCodePoint(digits ? Number.parseInt(digits, 16) : Number(decimal));
    if (utf8) return decodeURIComponent(utf8);
    return NAMED[plain ?? name!.toLowerCase()] ?? plain!;
  });
}

/** What shows the structure of JSON: its brackets, and its strings with the colon that makes one a key. */
const BRACKET_OR_STRING = /[[\]{}]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Redacts the body of an answer. In JSON, its structure and the keys at the top are kept, whatever the secrets are: they belong to the
 * format of an error. Otherwise a player could remove the `code` field by using `code` as their token.
 */
export function redactBody(text: string, secrets: readonly string[]): string {
  const hide = redactorOf(secrets);
  let depth = 0;
  try {
    JSON.parse(text);
    return text.replace(BRACKET_OR_STRING, (part, string?: string, colon?: string) => {
      if (string === undefined) depth += part === '{' || part === '[' ? 1 : -1;
      if (string === undefined || (depth === 1 && colon)) return part;
      return `${JSON.stringify(hide(JSON.parse(string) as string))}${colon ?? ''}`;
    });
  } catch {
    // No JSON, or a string with more escapes than a pattern can go through.
    return hide(text);
  }
}

/** Words that are no tokens: plain ones, perhaps in quotes or brackets, and short numbers. Everything else may be one. */
const PLAIN_WORD = /^["'`([]*([A-Za-z]{1,20}|\d{1,3})([-'_/.][A-Za-z]{1,20})*["'`)\].,:;!?]*$/;

/** A line of a stack, as V8 writes it, or other browsers. The others are the message, and whatever is appended. */
const FRAME = /^\s+at .*[:)\d>]$|^[^\s@]*@.*:\d+:\d+$/;

/**
 * A copy of an error of unknown origin, without anything in it that may be a token: its name, its code, the plain words of its message,
 * its own stack, and the same of its causes.
 */
export function redactError(error: unknown, secrets: readonly string[], depth = 0): Error {
  const hide = (given: unknown) => redact(String(given), secrets);
  const clean = (given: unknown) => {
    const words = hide(given).slice(0, 300).split(/\s+/);
    return words.map(word => (PLAIN_WORD.test(word) ? word : '[secret]')).join(' ');
  };
  return readOr(new Error(typeof error), () => {
    const { name, code, message, stack } = Object(error) as Partial<
      Record<'name' | 'code' | 'message' | 'stack', unknown>
    >;
    const text = typeof error === 'string' ? error : typeof message === 'string' ? message : typeof error;
    const because = causeOf(Object(error) as object);
    const copy = Object.assign(
      new Error(clean(text), {
        ...(because !== undefined &&
          depth < MAX_CAUSES && { cause: redactError(because, secrets, depth + 1) }),
      }),
      {
        ...(typeof name === 'string' && { name: clean(name) }),
        ...((typeof code === 'string' || typeof code === 'number') && { code: clean(code) }),
      },
    );
    const frames = typeof stack === 'string' ? stack.split('\n').filter(line => FRAME.test(line)) : [];
    if (frames.length > 0) copy.stack = `${copy.name}: ${copy.message}\n${hide(frames.join('\n'))}`;
    return copy;
  });
}
