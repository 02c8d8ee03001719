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

/** Compares two objects like `jsonEqual`, ignoring one key. */
export function jsonEqualBut(key: string): (left: unknown, right: unknown) => boolean {
  return (left, right) =>
    isJson(left) && isJson(right)
      ? jsonEqual({ ...left, [key]: 0 }, { ...right, [key]: 0 })
      : jsonEqual(left, right);
}

/** Whether this is an array or a plain object, from any realm. */
function isJson(u: unknown): u is Readonly<Record<string, unknown>> {
  if (typeof u !== 'object' || u === null) return false;
  const prototype: unknown = Object.getPrototypeOf(u);
  return Array.isArray(u) || prototype === null || Object.getPrototypeOf(prototype) === null;
}
