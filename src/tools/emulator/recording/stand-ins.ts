import { jsonHash } from '../../../protocol/index.js';

/** So many strings are remembered. A later one that comes again has another stand-in then. */
const REMEMBERED = 50_000;

/** Longer strings are remembered by a hash. */
const SHORT = 256;

/** Longer strings are stood for by one that is about as long, up to the second of these lengths. */
const [PADDED_FROM, PADDED_TO] = [64, 65_536];

/** What stands for the strings of a recording that are not kept: of the same kind, and the same for the same string. */
export class StandIns {
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #numbers = new Map<number, number>();
  /** Strings of fields that have secrets. */
  readonly #secrets = new Set<string>();

  /** What stands for a string of a kind, such as `identity`. */
  of(value: string, kind: string): string {
    if (value === '') return '';
    const key = value.length > SHORT ? `${value.length} ${jsonHash(value)}` : value;
    const known = this.#known.get(key) ?? this.#make(value, kind);
    this.#known.set(key, known);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    return known;
  }

  ofSecret(value: string): string {
    if (value.length <= SHORT) this.#secrets.add(value);
    return this.of(value, 'secret');
  }

  ofNumber(value: number): number {
    const known = this.#numbers.get(value) ?? this.#numbers.size + 1;
    if (this.#numbers.size < REMEMBERED) this.#numbers.set(value, known);
    return known;
  }

  /** Whether a text has a secret in it. One of less than four letters may be anywhere. */
  hasSecret(text: string): boolean {
    for (const secret of this.#secrets)
      if (secret === text || (secret.length > 3 && text.includes(secret))) return true;
    return false;
  }

  get secretCount(): number {
    return this.#secrets.size;
  }

  #make(value: string, kind: string): string {
    const isUrl = /^https?:\/\//i.test(value);
    const name = isUrl ? 'url' : kind;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const text = isUrl
      ? `https://url.example/${count}`
      : kind === 'host'
        ? `host-${count}.example`
        : `${kind}-${count}`;
    if (value.length < PADDED_FROM) return text;
    return text.padEnd(Math.min(PADDED_TO, 2 ** Math.ceil(Math.log2(value.length))), '.');
  }
}
