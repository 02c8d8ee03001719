/** Describes a value in a few words for an error message. Strings are never quoted, since they may be tokens. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
    case 'number':
      return Math.abs(value) < 1e6 || !Number.isFinite(value) ? String(value) : 'a large number';
    case 'boolean':
      return String(value);
    case 'object':
      return 'an object';
  }
  return `a ${typeof value}`;
}

/** The text of what was thrown. Anything can be thrown, even what has no text. */
export function textOf(message: unknown): string {
  try {
    return String(message);
  } catch {
    return typeof message;
  }
}
