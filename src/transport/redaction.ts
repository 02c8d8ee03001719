import { plainObject } from '../error/index.js';

/** What to replace: a field by its name, whatever its case; or what a pattern finds. */
export type Redacted = string | RegExp;

/** Fields with secrets: `player_token`, `access_token`, `token` of a player and the like. */
const FIELD = /token|password|secret/i;

const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** A field of JSON with a text, even if the JSON is cut off; and a parameter of a query. */
const JSON_FIELD = /"((?:[^"\\]|\\.)*)"(\s*:\s*)"((?:[^"\\]|\\.)*)"?/g;
const PARAMETER = /([?&])([^=&#]*)=([^&#]*)/g;

/** A shorter value is no secret where it comes again: what contains it would become unreadable. */
const MIN_LENGTH = 4;

/** How many secrets to remember. Later ones come again, and the first ones no more. */
const REMEMBERED = 500;

/** Replaces secrets in texts of a recording. The same one is always replaced by the same text, which is a valid token, too. */
export class Redaction {
  readonly #fields: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #known = new Map<string, string>();
  #count = 0;

  constructor(more: readonly Redacted[]) {
    this.#fields = new Set(more.flatMap(item => (typeof item === 'string' ? [item.toLowerCase()] : [])));
    const patterns = more.filter(item => item instanceof RegExp);
    this.#patterns = [
      EMAIL,
      ...patterns.map(({ source, flags }) => new RegExp(source, `${flags.replace('g', '')}g`)),
    ];
  }

  /** A secret that is replaced from now on. Returns by what. */
  hide(secret: string | undefined): string {
    if (secret === undefined || secret === '' || isReplacement(secret)) return secret ?? '';
    const known = this.#known.get(secret) ?? `redacted-${++this.#count}`;
    // The latest ones are kept.
    this.#known.delete(secret);
    this.#known.set(secret, known);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }

  url(url: string): string {
    const replaced = url.replace(PARAMETER, (all: string, sign: string, name: string, value: string) =>
      this.#isSecret(decoded(name)) ? `${sign}${name}=${this.hide(decoded(value))}` : all,
    );
    return this.#values(replaced);
  }

  /** Replaces what is secret in a text. JSON stays as it is otherwise, digit by digit. */
  text(text: string): string {
    const fields = text.replace(JSON_FIELD, (all: string, name: string, colon: string, value: string) =>
      this.#isSecret(unescaped(name)) ? `"${name}"${colon}"${this.hide(unescaped(value))}"` : all,
    );
    const replaced = this.#values(fields);
    const json = parsed(replaced);
    if (json === undefined) return replaced;
    // A secret may be a number, or written with escapes: then the whole text is written again.
    const written = JSON.stringify(json);
    const clean = JSON.stringify(this.#json(json));
    return clean === written ? replaced : clean;
  }

  #isSecret(field: string): boolean {
    return FIELD.test(field) || this.#fields.has(field.toLowerCase());
  }

  #values(text: string): string {
    let clean = text;
    for (const [secret, replacement] of this.#known) {
      if (secret.length < MIN_LENGTH) continue;
      for (const form of new Set([secret, JSON.stringify(secret).slice(1, -1), encoded(secret)]))
        clean = clean.replaceAll(form, replacement);
    }
    return this.#patterns.reduce(
      (before, pattern) => before.replace(pattern, found => this.hide(found)),
      clean,
    );
  }

  #json(value: unknown, isSecret = false): unknown {
    if (isSecret && typeof value === 'number') return this.hide(String(value));
    if (typeof value === 'string') return isSecret ? this.hide(value) : this.#values(value);
    if (Array.isArray(value)) return value.map(item => this.#json(item, isSecret));
    if (!plainObject.is(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.#json(item, this.#isSecret(name))]),
    );
  }
}

function isReplacement(text: string): boolean {
  return /^redacted-\d+$/.test(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unescaped(text: string): string {
  const value = parsed(`"${text}"`);
  return typeof value === 'string' ? value : text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
