/**
 * Whether two JSON values are equal, regardless of the order of their keys. It is not recursive, because a payload may be
 * nested deeper than the call stack.
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  const stack: [unknown, unknown][] = [[left, right]];
  for (let pair = stack.pop(); pair; pair = stack.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      stack.push([a[key], b[key]]);
    }
  }
  return true;
}

/** Whether two objects are equal as JSON, whatever they have under one key. */
export function jsonEqualBut(key: string): (left: unknown, right: unknown) => boolean {
  return (left, right) => jsonEqual({ ...Object(left), [key]: 0 }, { ...Object(right), [key]: 0 });
}

function isObject(u: unknown): u is Record<string, unknown> {
  return typeof u === 'object' && u !== null;
}
