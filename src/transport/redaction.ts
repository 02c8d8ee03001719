import { plainObject, redactor } from '../error/index.js';

/** What to replace: a field by its name, whatever its case; or what a pattern finds. */
export type Redacted = string | RegExp;

/** Fields with secrets: `player_token`, `access_token`, `token` of a player and the like. */
const FIELD = /token|password|secret/i;

/** Each run of letters is looked at once, or a long text without an address would take minutes. */
const MAY_BE_EMAIL = /[\w.+-]+(@[\w-]+(?:\.[\w-]+)+)?/g;

const PARAMETER = /([?&])([^?=&#]*)=([^&#]*)/g;
/** A string of JSON, even if the JSON is cut off. */
const STRING = /"(?:[^"\\]|\\[^]?)*(?:"|$)/g;

/** How many secrets to remember. Later ones come again, and the first ones no more. */
const REMEMBERED = 100;

/** Replaces secrets in texts of a recording. The same one is always replaced by the same text, which is a valid token, too. */
export class Redaction {
  readonly #fields: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #known = new Map<string, string>();
  #redact: ((text: string) => string) | undefined;
  #count = 0;

  constructor(more: readonly Redacted[]) {
    this.#fields = new Set(more.flatMap(item => (typeof item === 'string' ? [item.toLowerCase()] : [])));
    this.#patterns = more
      .filter(item => item instanceof RegExp)
      .map(({ source, flags }) => new RegExp(source, `${flags.replace('g', '')}g`));
  }

  /** A secret that is replaced from now on. Returns by what. */
  hide(secret: string | undefined): string {
    if (!secret || /^redacted-\d+$/.test(secret)) return secret ?? '';
    const known = this.#known.get(secret) ?? `redacted-${++this.#count}`;
    // The latest ones are kept.
    this.#known.delete(secret);
    this.#known.set(secret, known);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    this.#redact = undefined;
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
    const json = parsed(text);
    if (json === undefined) {
      this.#findIn(text);
      return this.#values(text);
    }
    const clean = JSON.stringify(this.#json(json));
    if (clean === JSON.stringify(json)) return text;
    const replaced = this.#values(text);
    // A secret may be a number, or written with escapes: then the whole text is written again.
    return JSON.stringify(parsed(replaced)) === clean ? replaced : clean;
  }

  #isSecret(field: string): boolean {
    return FIELD.test(field) || this.#fields.has(field.toLowerCase());
  }

  #values(text: string): string {
    this.#redact ??= redactor(this.#known);
    const clean = this.#redact(text).replace(MAY_BE_EMAIL, (found: string, domain?: string) =>
      domain === undefined ? found : this.hide(found),
    );
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

  /** Finds the secrets of JSON that is cut off. */
  #findIn(text: string): void {
    let name = '';
    let end = 0;
    for (const { 0: found, index } of text.matchAll(STRING)) {
      const value = parsed(found.length > 1 && found.endsWith('"') ? found : `${found}"`);
      const string = typeof value === 'string' ? value : found.slice(1);
      if (this.#isSecret(name) && /^\s*:\s*$/.test(text.slice(end, index))) this.hide(string);
      name = string;
      end = index + found.length;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
