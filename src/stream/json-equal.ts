import { isJson } from './json-hash.js';

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
