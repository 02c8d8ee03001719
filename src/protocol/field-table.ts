import * as t from 'io-ts';

/** The codecs that a look at `typeof` does the work of. */
const BY_TYPEOF = new Map<unknown, string>([
  [t.string, 'string'],
  [t.number, 'number'],
  [t.boolean, 'boolean'],
]);

/**
 * The fields of a struct, laid out for one quick look. An answer that fits, and nearly every answer fits, costs only this:
 * it allocates nothing, and calls no function for the texts, numbers and flags that most fields are.
 */
export class FieldTable {
  readonly #names: readonly string[];
  readonly #typeofs: readonly string[];
  readonly #codecs: readonly t.Mixed[];

  constructor(fields: t.Props) {
    this.#names = Object.keys(fields);
    this.#codecs = Object.values(fields);
    this.#typeofs = this.#codecs.map(codec => BY_TYPEOF.get(codec) ?? '');
  }

  /** Whether every field fits; with `leniently`, one may also be null or absent. */
  fits(u: Readonly<Record<string, unknown>>, leniently: boolean): boolean {
    for (let i = 0; i < this.#names.length; i++) {
      const value = u[this.#names[i]!];
      if (leniently && value == null) continue;
      const kind = this.#typeofs[i]!;
      if (kind === '' ? !this.#codecs[i]!.is(value) : typeof value !== kind) return false;
    }
    return true;
  }
}
