/** A value in a few words, for an error message. A string is never quoted, since it may be a token; a small number is. */
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
    default:
      return `a ${typeof value}`;
  }
}
