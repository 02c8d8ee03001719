/** Describes a value in a few words for an error message. Strings are never quoted, since they may be tokens. */
export function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty string' : `a string of ${counted(value.length, 'character')}`;
    case 'number':
      return Math.abs(value) < 1e6 || !Number.isFinite(value) ? String(value) : 'a large number';
    case 'boolean':
      return String(value);
    case 'object':
      return 'an object';
  }
  return `a ${typeof value}`;
}

/** What a value is, without the value itself: it comes from elsewhere, and may be secret. */
export function shapeOf(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? `a ${typeof value}` : describe(value);
}

/** A number of things: `1 character`, `2 characters`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** The text of what was thrown. Anything can be thrown, even what has no text. */
export function textOf(message: unknown): string {
  try {
    return String(message);
  } catch {
    return typeof message;
  }
}
