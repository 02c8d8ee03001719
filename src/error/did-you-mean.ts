/** A question for the known name that a misspelt one is most like, to end a message; empty if it is like none. */
export function didYouMean(misspelt: string, known: readonly string[], prefix = ''): string {
  const like = (edits: number) =>
    known.find(name => isWithin(misspelt.toLowerCase(), name.toLowerCase(), edits));
  // Two letters may be wrong in a name of five.
  const meant = like(misspelt.length < 3 ? 0 : 1) ?? like(misspelt.length < 5 ? 0 : 2);
  return meant ? ` (did you mean ${prefix}${meant}?)` : '';
}

/** Whether one text becomes the other if at most so many letters are inserted, removed or replaced. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (!a || !b || edits < 0) return a.length + b.length <= edits;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a.startsWith(b.charAt(0))) return isWithin(x, y, edits);
  return isWithin(x, b, edits - 1) || isWithin(a, y, edits - 1) || isWithin(x, y, edits - 1);
}
