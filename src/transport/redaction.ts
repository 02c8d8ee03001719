import { readOr, redactor } from '../error/index.js';

/** What to replace: a field by its name, whatever its case; or what a pattern finds. */
export type Redacted = string | RegExp;

/** Fields with secrets: `player_token`, `access_token`, `token` of a player and the like. */
const FIELD = /token|password|secret/i;

/** Each run of letters is looked at once, or a long text without an address would take minutes. */
const MAY_BE_EMAIL = /[\w.+-]+(@[\w-]+(?:\.[\w-]+)+)?/g;

const PARAMETER = /([?&])([^?=&#]*)=([^&#]*)/g;
/** The brackets, strings and numbers of JSON, even if it is cut off; a string with a colon is a key. */
const PART = /[[\]{}]|("[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$))(\s*:)?|-?\d[\d.eE+-]*/g;

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
    // First what stands in fields with secrets: it may have been said before them.
    const hidden = this.#inJson(text, value => value);
    if (parsed(text) === undefined) return this.#values(hidden);
    return this.#inJson(hidden, value => this.#values(value));
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

  /** Replaces strings of JSON, and hides all that is in a field with secrets. */
  #inJson(text: string, replaced: (value: string) => string): string {
    /** Whether each array or object that is open is in such a field. */
    const open: boolean[] = [];
    let name = '';
    return text.replace(PART, (part, literal?: string, colon?: string) => {
      const isSecret = open.at(-1) === true || this.#isSecret(name);
      if (/^[[\]{}]/.test(part)) {
        if (part === '{' || part === '[') open.push(isSecret);
        else open.pop();
        name = '';
        return part;
      }
      if (literal === undefined) return isSecret ? JSON.stringify(this.hide(part)) : part;
      const value = (parsed(literal) ?? parsed(`${literal}"`) ?? literal.slice(1)) as string;
      const shown = isSecret && !colon ? this.hide(value) : replaced(value);
      if (colon) name = value;
      return shown === value ? part : `${JSON.stringify(shown)}${colon ?? ''}`;
    });
  }
}

/** What a text means as JSON; `undefined` if it is none. */
export function parsed(text: string): unknown {
  return readOr(undefined, () => JSON.parse(text) as unknown);
}

function decoded(text: string): string {
  return readOr(text, () => decodeURIComponent(text));
}
