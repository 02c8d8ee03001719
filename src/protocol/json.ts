/**
 * A hash of 53 bits of a value as JSON: equal texts have equal hashes, and texts with equal hashes are equal for all practical
 * purposes. Other objects, such as a Map that a codec has created, are equal only to themselves, unless they have a `toJSON`, as
 * a Date has. `but` names a key of the outermost object to leave out.
 */
export function jsonHash(value: unknown, but?: string): number {
  try {
    return textHash(
      JSON.stringify(value, function (this: unknown, key, inner: unknown) {
        if (key === but && this === value) return undefined;
        if (typeof inner === 'string') return `"${inner}`;
        if (inner === null || isJson(inner)) return inner;
        const leaf = typeof inner === 'object' ? numberOf(inner) : (inner as number);
        return `${typeof inner} ${leaf}`;
      }),
    );
  } catch {
    // It has a cycle, or is nested deeper than the call stack: it is equal to none.
    return -++objects;
  }
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
 * A hash of 53 bits of a text. Texts with equal hashes are equal for all practical purposes. It is made of two independent ones:
 * each takes all of the text, two characters at a time. Each has two lanes, which do not wait for each other.
 */
export function textHash(text: string): number {
  let a = 1 ^ text.length;
  let b = ~1;
  let c = 2 ^ text.length;
  let d = ~2;
  let i = 0;
  for (; i + 3 < text.length; i += 4) {
    const first = text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16);
    const second = text.charCodeAt(i + 2) | (text.charCodeAt(i + 3) << 16);
    a = Math.imul(a ^ first, 0x9e3779b1) ^ (a >>> 15);
    b = Math.imul(b ^ second, 0x9e3779b1) ^ (b >>> 15);
    c = Math.imul(c ^ first, 0xc2b2ae35) ^ (c >>> 13);
    d = Math.imul(d ^ second, 0xc2b2ae35) ^ (d >>> 13);
  }
  for (; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x9e3779b1) ^ (a >>> 15);
    c = Math.imul(c ^ text.charCodeAt(i), 0xc2b2ae35) ^ (c >>> 13);
  }
  const high = mixed(Math.imul(mixed(a), 0x9e3779b1) ^ b);
  const low = mixed(Math.imul(mixed(c), 0x27d4eb2f) ^ d);
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
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
 * Whether two JSON values are equal, regardless of the order of their keys. Other objects, such as a Date that a
 * codec has created, are equal only if they are identical. It is not recursive, because a payload may be nested deeper than the call stack.
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
