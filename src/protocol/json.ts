import { valueAt } from '../error/index.js';

/**
 * A hash of 53 bits of a JSON value, regardless of the order of keys. Equal values have equal
 * hashes. Values with equal hashes are equal for all practical purposes. A Date counts by its time.
 * Other objects that are not JSON, such as a Map that a codec has created, are equal only to
 * themselves. `but` is the path to a field to leave out. `butLeaf` is the text of leaves to leave
 * out.
 *
 * It adds up a hash of each leaf and its path. So it needs no recursion, and a payload may be
 * nested deeper than the call stack.
 */
export function jsonHash(value: unknown, but: readonly string[] = [], butLeaf?: string): number {
  /**
   * The containers so far, in order. A container that comes again, perhaps in a cycle, counts as
   * its number.
   */
  const seen = new Map<object, number>();
  const last = but.at(-1);
  const lacking = valueAt(value, but.slice(0, -1));
  const values: unknown[] = [value];
  // The two hashes of the path to each value.
  const paths: number[] = [1, 2];
  let sumA = 0;
  let sumB = 0;
  while (values.length > 0) {
    const current = values.pop();
    const pathB = paths.pop()!;
    const pathA = paths.pop()!;
    const again = isJson(current) ? seen.get(current) : undefined;
    const isContainer = isJson(current) && again === undefined;
    if (isContainer) seen.set(current, seen.size);
    const keys = isContainer ? Object.keys(current) : NO_KEYS;
    if (keys.length === 0) {
      if (butLeaf !== undefined && !isContainer && String(current) === butLeaf) continue;
      sumA =
        (sumA +
          hashText(again === undefined ? leafText(current, isContainer) : `again ${again}`, pathA, pathB)) |
        0;
      sumB = (sumB + otherHash) | 0;
      continue;
    }
    const kind = Array.isArray(current) ? 3 : 0;
    for (const key of keys) {
      if (key === last && current === lacking) continue;
      values.push((current as Record<string, unknown>)[key]);
      paths.push(hashText(key, pathA + kind, pathB + kind), otherHash);
    }
  }
  return (sumA >>> 0) * 2 ** 21 + (sumB >>> 11);
}

const NO_KEYS: readonly string[] = [];

/** A text for a value without keys, different for different values. */
function leafText(value: unknown, isContainer: boolean): string {
  if (typeof value === 'string') return `"${value}`;
  if (isContainer) return Array.isArray(value) ? '[]' : '{}';
  if (value instanceof Date) return `date ${value.getTime()}`;
  return typeof value === 'object' && value !== null
    ? `object ${numberOf(value)}`
    : `${typeof value} ${String(value)}`;
}

const numbers = new WeakMap<object, number>();
let objects = 0;

/** A number for an object that is equal only to itself. */
function numberOf(value: object): number {
  const known = numbers.get(value) ?? ++objects;
  numbers.set(value, known);
  return known;
}

/**
 * A hash of 53 bits of a text. Texts with equal hashes are equal for all practical purposes.
 */
export function textHash(text: string): number {
  return (hashText(text, 1, 2) >>> 0) * 2 ** 21 + (otherHash >>> 11);
}

/** The second 32 bits of the last hash. Returning both would take an object for each text. */
let otherHash = 0;

/**
 * A hash of a text, mixed with two seeds. Returns 32 bits of it, and leaves the other 32 in
 * `otherHash`. Each half takes all of the text. No step loses a bit of what came before it.
 */
function hashText(text: string, seedA: number, seedB: number): number {
  let a = seedA ^ text.length;
  let b = seedB ^ text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x9e3779b1);
    a ^= a >>> 15;
    b = Math.imul(b ^ code, 0xc2b2ae35);
    b ^= b >>> 13;
  }
  otherHash = mixed(b);
  return mixed(a);
}

/** Spreads each bit of a number over all of it. */
function mixed(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Whether this is an array or a plain object, from any realm. */
function isJson(u: unknown): u is Readonly<Record<string, unknown>> {
  if (typeof u !== 'object' || u === null) return false;
  const prototype: unknown = Object.getPrototypeOf(u);
  return Array.isArray(u) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Whether two JSON values are equal, regardless of the order of their keys. Other objects, such as
 * a Date that a codec has created, are equal only if they are identical. It is not recursive,
 * because a payload may be nested deeper than the call stack.
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  const stack: [unknown, unknown][] = [[left, right]];
  const compared = new Map<object, object>();
  for (let pair = stack.pop(); pair; pair = stack.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (!isJson(a) || !isJson(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    // Decoded values may be cyclic.
    if (compared.get(a) === b) continue;
    compared.set(a, b);
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      stack.push([a[key], b[key]]);
    }
  }
  return true;
}
