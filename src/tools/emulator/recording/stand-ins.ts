import { jsonHash } from '../../../protocol/index.js';

/** So many strings are remembered, or twice as many. A later one that comes again has another stand-in then. */
const REMEMBERED = 25_000;

/** So many secrets are looked for in what is kept: the last ones. */
const SECRETS = 1_000;

/** Longer strings are remembered by a hash. */
const SHORT = 256;

/** Longer ones are no tokens. */
const LONGEST_SECRET = 4_096;

/** Longer strings are stood for by one that is about as long, up to the second of these lengths. */
const [PADDED_FROM, PADDED_TO] = [64, 65_536];

/** What stands for the strings of a recording that are not kept: of the same kind, and the same for the same string. */
export class StandIns {
  /** Without what makes them as long. To forget the oldest one each time would take longer and longer. */
  #known = new Map<string, string>();
  #knownBefore = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #numbers = new Map<number, number>();
  /** Strings of fields that have secrets; and those of them that could be a part of a name. */
  readonly #secrets = new Set<string>();
  readonly #words = new Set<string>();
  #secretCount = 0;

  /** What stands for a string of a kind, such as `identity`. */
  of(value: string, kind: string): string {
    if (value === '') return '';
    const key = value.length > SHORT ? `${value.length} ${jsonHash(value)}` : value;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#knownBefore.get(key) ?? this.#make(value, kind);
      this.#known.set(key, known);
    }
    if (this.#known.size >= REMEMBERED) {
      this.#knownBefore = this.#known;
      this.#known = new Map();
    }
    if (value.length < PADDED_FROM) return known;
    return known.padEnd(Math.min(PADDED_TO, 2 ** Math.ceil(Math.log2(value.length))), '.');
  }

  ofSecret(value: string): string {
    if (value !== '' && value.length <= LONGEST_SECRET && !this.#secrets.has(value)) {
      this.#secretCount++;
      add(this.#secrets, value);
      if (/^[a-z_]+$/.test(value)) add(this.#words, value);
    }
    return this.of(value, 'secret');
  }

  ofNumber(value: number): number {
    const known = this.#numbers.get(value) ?? this.#numbers.size + 1;
    if (this.#numbers.size < REMEMBERED) this.#numbers.set(value, known);
    return known;
  }

  /** Whether a text has a secret in it. One of less than four letters may be anywhere. */
  hasSecret(text: string): boolean {
    return isIn(this.#secrets, text);
  }

  /** The same of the name of a field, of small letters and `_`. */
  hasSecretWord(name: string): boolean {
    return isIn(this.#words, name);
  }

  /** How many there have been. */
  get secretCount(): number {
    return this.#secretCount;
  }

  #make(value: string, kind: string): string {
    const isUrl = /^https?:\/\//i.test(value);
    const name = isUrl ? 'url' : kind;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    if (isUrl) return `https://url.example/${count}`;
    return kind === 'host' ? `host-${count}.example` : `${kind}-${count}`;
  }
}

function add(secrets: Set<string>, secret: string): void {
  secrets.add(secret);
  if (secrets.size > SECRETS) for (const oldest of [...secrets].slice(0, SECRETS / 2)) secrets.delete(oldest);
}

function isIn(secrets: ReadonlySet<string>, text: string): boolean {
  if (secrets.has(text)) return true;
  for (const secret of secrets) if (secret.length > 3 && text.includes(secret)) return true;
  return false;
}
