const FIRST =
  'Ada Grace Alan Edsger Barbara Donald Katherine Claude Hedy Dennis Radia Linus Margaret Tim Frances Ken'.split(
    ' ',
  );
const LAST =
  'Lovelace Hopper Turing Dijkstra Liskov Knuth Johnson Shannon Lamarr Ritchie Perlman Hamilton Allen Thompson'.split(
    ' ',
  );

/**
 * The `n`-th of 224 different made-up names. After the last one they start over, with a number
 * appended.
 */
export function personName(n: number): string {
  const generation = Math.floor(n / (FIRST.length * LAST.length));
  const name = `${FIRST[n % FIRST.length]} ${LAST[(n + Math.floor(n / FIRST.length)) % LAST.length]}`;
  return generation === 0 ? name : `${name} ${generation + 1}`;
}
