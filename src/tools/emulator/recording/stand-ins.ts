import { jsonHash } from '../../../protocol/index.js';

/**
 * So many strings are remembered, or twice as many. A later one that comes again has another
 * stand-in then.
 */
const REMEMBERED = 25_000;

/** Longer strings are remembered by a hash. */
const SHORT = 256;

/** Longer strings are stood for by one that is about as long, up to the second of these lengths. */
const [PADDED_FROM, PADDED_TO] = [64, 65_536];

/**
 * What stands for the strings of a recording that are not kept: of the same kind, and the same for
 * the same string.
 */
export class StandIns {
  /**
   * Without what makes them as long. To forget the oldest one each time would take longer and
   * longer.
   */
  #known = new Map<string, string>();
  #knownBefore = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #numbers = new Map<number, number>();

  /** What stands for a string of a kind, such as `identity`. */
  of(value: string, kind: string): string {
    if (value === '') return '';
    const key = value.length > SHORT ? `${value.length} ${jsonHash(value)}` : value;
    const known = this.#known.get(key) ?? this.#knownBefore.get(key) ?? this.#make(value, kind);
    this.#known.set(key, known);
    if (this.#known.size >= REMEMBERED) {
      this.#knownBefore = this.#known;
      this.#known = new Map();
    }
    if (value.length < PADDED_FROM) return known;
    return known.padEnd(Math.min(PADDED_TO, 2 ** Math.ceil(Math.log2(value.length))), '.');
  }

  ofNumber(value: number): number {
    const known = this.#numbers.get(value) ?? this.#numbers.size + 1;
    if (this.#numbers.size < REMEMBERED) this.#numbers.set(value, known);
    return known;
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
