import { tryOr } from './callback/index.js';
import { causeOf, MAX_CAUSES } from './tagged-error.js';

/**
 * A shorter secret is no real secret. If it were hidden everywhere, any message would become
 * unreadable.
 */
const MIN_LENGTH = 4;

/** A shorter secret is hidden only as it is written: `CODE` is not the token `code`. */
const MIN_LENGTH_IN_ANY_CASE = 8;

const MASK = '[secret]';

/**
 * Replaces every secret of four letters or more in a text: as it is, in letters of any case, and
 * escaped once, as in a URL, in JSON or in HTML. It takes as long as a few searches through the
 * text, whatever the text is.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return masked(text, formsOf(secrets));
}

/** A form in which a secret may appear. It is in lower case if it may be in any case. */
interface Form {
  readonly text: string;
  readonly isAnyCase: boolean;
}

/** Forms that contain another form come first. Otherwise the rest of them would stay readable. */
function formsOf(secrets: readonly string[]): readonly Form[] {
  const forms = new Map<string, Form>();
  for (const secret of secrets) {
    if (secret.length < MIN_LENGTH) continue;
    const isAnyCase = secret.length >= MIN_LENGTH_IN_ANY_CASE;
    for (const form of [secret, ...inUrls(secret), ...inJson(secret), ...inHtml(secret)]) {
      const text = isAnyCase ? lowerCase(form) : form;
      forms.set(text, { text, isAnyCase });
    }
  }
  return [...forms.values()].sort((a, b) => b.text.length - a.text.length);
}

/** Encoders differ in which characters they escape. */
function inUrls(secret: string): readonly string[] {
  const percent = (text: string) =>
    encodeURIComponent(text).replace(/%..|[^%]/g, part => (part.length === 3 ? part : hexOf('%', 2, part)));
  // A lone surrogate has no place in a URL.
  return tryOr<readonly string[]>(() => {
    const part = encodeURIComponent(secret);
    const strict = part.replace(/[!'()*]/g, percent);
    return [part, strict, part.replaceAll('%20', '+'), encodeURI(secret), percent(secret)];
  }, []);
}

function inJson(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const unicode = (text: string, escaped: RegExp) => text.replace(escaped, unit => hexOf('\\u', 4, unit));
  const slashed = json.replaceAll('/', '\\/');
  const ascii = [json, slashed].map(form => unicode(form, /[^\x00-\x7f]/g));
  // Some encoders escape characters with a meaning in HTML, too.
  const safe = unicode(json, /[<>&'+]|[^\x00-\x7f]/g);
  return [json, slashed, ...ascii, unicode(json, /[<>&]/g), safe, unicode(secret, /[^]/g)];
}

function inHtml(secret: string): readonly string[] {
  const named = (apostrophe: string, quote = '&quot;') =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', quote)
      .replaceAll("'", apostrophe);
  const everyCode = (escaped: (code: number) => string) =>
    Array.from(secret, character => escaped(character.codePointAt(0)!)).join('');
  const strict = named('&#x27;').replaceAll('/', '&#x2F;');
  return [
    ...["'", '&#39;', '&#039;', '&#x27;', '&apos;'].map(apostrophe => named(apostrophe)),
    named('&#39;', '&#34;'),
    strict,
    strict.replaceAll('=', '&#x3D;').replaceAll('`', '&#x60;'),
    everyCode(code => `&#${code};`),
    everyCode(code => `&#x${code.toString(16)};`),
  ];
}

function hexOf(prefix: string, digits: number, unit: string): string {
  return prefix + unit.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** In lower case, with every letter at its place, since some letters are two in lower case. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

function masked(text: string, forms: readonly Form[]): string {
  let clean = text;
  let lower = lowerCase(text);
  for (const { text: form, isAnyCase } of forms) {
    const searched = isAnyCase ? lower : clean;
    if (!searched.includes(form)) continue;
    clean = withMask(clean, searched, form);
    lower = lowerCase(clean);
  }
  return clean;
}

/** Masks in a text the places where its copy has the form. */
function withMask(text: string, searched: string, form: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = searched.indexOf(form); at >= 0; at = searched.indexOf(form, from)) {
    parts.push(text.slice(from, at));
    from = at + form.length;
  }
  parts.push(text.slice(from));
  return parts.join(MASK);
}

/**
 * The structure of JSON: its brackets, and its strings. A string with a colon after it is a key.
 */
const BRACKET_OR_STRING = /[[\]{}]|("[^"\\]*(?:\\.[^"\\]*)*")(\s*:|)/g;

/**
 * Redacts the body of an answer. In JSON, the structure and the keys at the top are kept, whatever
 * the secrets are, since they belong to the format of an error. Otherwise a player could remove the
 * `code` field by using `code` as their token.
 */
export function redactBody(text: string, secrets: readonly string[]): string {
  const forms = formsOf(secrets);
  const clean = masked(text, forms);
  // Nearly always there is no secret. Then nothing has to be taken apart.
  if (clean === text && !text.includes('\\')) return text;
  return tryOr(() => {
    JSON.parse(text);
    // A string may have more escapes than a pattern can go through.
    return maskedStrings(text, forms);
  }, clean);
}

/** Masks in the strings of JSON, except for the keys at the top. */
function maskedStrings(text: string, forms: readonly Form[]): string {
  let depth = 0;
  return text.replace(BRACKET_OR_STRING, (part, string?: string, colon?: string) => {
    if (string === undefined) depth += '{['.includes(part) ? 1 : -1;
    if (string === undefined || (depth === 1 && colon)) return part;
    return `${JSON.stringify(masked(JSON.parse(string) as string, forms))}${colon}`;
  });
}

/**
 * Words that are not tokens: plain ones, also in quotes or brackets, and short numbers. Everything
 * else may be a token.
 */
const PLAIN_WORD = /^["'`([]*([A-Za-z]{1,20}|\d{1,3})([-'_/.][A-Za-z]{1,20})*["'`)\].,:;!?]*$/;

/**
 * A line of a stack, as V8 or other browsers write it. The other lines are the message, and text
 * that is appended.
 */
const FRAME = /^\s+at .*[:)\d>]$|^[^\s@]*@.*:\d+:\d+$/;

/**
 * A copy of an error of unknown origin, without anything in it that may be a token. It has the
 * error's name, its code, the plain words of its message, its stack, and the same of its causes.
 */
export function redactError(error: unknown, secrets: readonly string[], depth = 0): Error {
  const hide = (given: unknown) => redact(String(given), secrets);
  const clean = (given: unknown) => {
    const words = hide(given).slice(0, 300).split(/\s+/);
    return words.map(word => (PLAIN_WORD.test(word) ? word : MASK)).join(' ');
  };
  return tryOr(
    () => {
      const { name, code, message, stack } = Object(error) as Partial<
        Record<'name' | 'code' | 'message' | 'stack', unknown>
      >;
      const text = [error, message].find(words => typeof words === 'string') ?? typeof error;
      const cause = causeOf(Object(error) as object);
      const isFollowed = cause !== undefined && depth < MAX_CAUSES;
      const copy: Error & { code?: string } = new Error(
        clean(text),
        isFollowed ? { cause: redactError(cause, secrets, depth + 1) } : undefined,
      );
      if (typeof name === 'string') copy.name = clean(name);
      if (typeof code === 'string' || typeof code === 'number') copy.code = clean(code);
      const frames = typeof stack === 'string' ? stack.split('\n').filter(line => FRAME.test(line)) : [];
      if (frames.length > 0) copy.stack = `${copy.name}: ${copy.message}\n${hide(frames.join('\n'))}`;
      return copy;
    },
    new Error(typeof error),
  );
}
