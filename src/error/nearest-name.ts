/** The known name that a misspelt one is near, if there is one: `timeuot` is near `timeout`, and `fetch` is not near `watch`. */
export function nearestName(misspelt: string, known: readonly string[]): string | undefined {
  const near = (edits: number) =>
    known.find(name => isWithin(misspelt.toLowerCase(), name.toLowerCase(), edits));
  return (
    near(0) ?? (misspelt.length > 2 ? near(1) : undefined) ?? (misspelt.length > 7 ? near(2) : undefined)
  );
}

/** Whether one text becomes the other if at most so many letters are inserted, removed, replaced, or swapped with their neighbour. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (!a || !b || edits < 0) return a.length + b.length <= edits;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a.startsWith(b.charAt(0))) return isWithin(x, y, edits);
  const isSwapped = a.charAt(0) === b.charAt(1) && a.charAt(1) === b.charAt(0);
  if (isSwapped && isWithin(a.slice(2), b.slice(2), edits - 1)) return true;
  return isWithin(x, b, edits - 1) || isWithin(a, y, edits - 1) || isWithin(x, y, edits - 1);
}
