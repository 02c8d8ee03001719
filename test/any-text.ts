import { integer, string, type Arbitrary, type StringConstraints } from 'fast-check';

/**
 * Any code point except surrogates. fast-check's own unit of this kind spends a second on building
 * a table.
 */
const character = integer({ min: 0, max: 0x10ffff - 0x800 }).map(n =>
  String.fromCodePoint(n < 0xd800 ? n : n + 0x800),
);

/** Strings of any characters. */
export const anyText = (constraints: StringConstraints = {}): Arbitrary<string> =>
  string({ ...constraints, unit: character });
