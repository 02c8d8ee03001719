/**
 * A hash of 53 bits of a JSON value, regardless of the order of keys. Equal values have equal hashes; values with equal hashes
 * are equal for all practical purposes. A Date counts by its time. Other objects that are not JSON, such as a Map that a codec
 * has created, are equal only to themselves. `but` names a key of the outermost object to leave out.
 *
 * It adds up a hash of each leaf and its path. So it needs no recursion, and a payload may be nested deeper than the call stack.
 */
export function jsonHash(value: unknown, but?: string): number {
  const seen = new Set<object>();
  const values: unknown[] = [value];
  // The two 32-bit hashes of the path to each value.
  const paths: number[] = [1, 2];
  let sumA = 0;
  let sumB = 0;
  while (values.length > 0) {
    const current = values.pop();
    const b = paths.pop()!;
    const a = paths.pop()!;
    const isContainer = isJson(current) && !seen.has(current);
    if (isContainer) seen.add(current);
    const keys = isContainer ? Object.keys(current) : NO_KEYS;
    if (keys.length === 0) {
      const text = leafText(current, isContainer);
      sumA = (sumA + hashText(text, a)) | 0;
      sumB = (sumB + hashText(text, b)) | 0;
      continue;
    }
    const kind = Array.isArray(current) ? 3 : 0;
    for (const key of keys) {
      if (key === but && current === value) continue;
      values.push((current as Record<string, unknown>)[key]);
      paths.push(hashText(key, a + kind), hashText(key, b + kind));
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

/** A 32-bit hash of a text, mixed with a seed. */
function hashText(text: string, seed: number): number {
  let hash = seed ^ text.length;
  for (let i = 0; i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Whether this is an array or a plain object, from any realm. */
export function isJson(u: unknown): u is Readonly<Record<string, unknown>> {
  if (typeof u !== 'object' || u === null) return false;
  const prototype: unknown = Object.getPrototypeOf(u);
  return Array.isArray(u) || prototype === null || Object.getPrototypeOf(prototype) === null;
}
