/**
 * Whether one index is behind another, as far as two opaque texts tell: only where both are decimal. They are compared
 * as texts, because a number would lose digits.
 */
export function isBefore(index: string, other: string): boolean {
  if (!/^\d+$/.test(index) || !/^\d+$/.test(other)) return false;
  const [a, b] = [withoutZeros(index), withoutZeros(other)];
  return a.length === b.length ? a < b : a.length < b.length;
}

function withoutZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}
