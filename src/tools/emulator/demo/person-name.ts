const FIRST = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Katherine',
  'Claude',
  'Hedy',
  'Dennis',
  'Radia',
  'Linus',
  'Margaret',
  'Tim',
  'Frances',
  'Ken',
];
const LAST = [
  'Lovelace',
  'Hopper',
  'Turing',
  'Dijkstra',
  'Liskov',
  'Knuth',
  'Johnson',
  'Shannon',
  'Lamarr',
  'Ritchie',
  'Perlman',
  'Hamilton',
  'Allen',
  'Thompson',
];

/**
 * The `n`-th of 224 different made-up names. After the last one they start over, with a number
 * appended.
 */
export function personName(n: number): string {
  const generation = Math.floor(n / (FIRST.length * LAST.length));
  const first = FIRST[n % FIRST.length];
  const last = LAST[(n + Math.floor(n / FIRST.length)) % LAST.length];
  const name = `${first} ${last}`;
  return generation === 0 ? name : `${name} ${generation + 1}`;
}
