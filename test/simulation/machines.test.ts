import { randomNumbers } from './simulate.js';
import { expectNoViolation, sweep, type Case } from './survey.js';

/** How far the clock of the second machine is behind that of the first. */
const SKEWS = [5, 50, 200, 1_000, 5_000, 15_000, 30_000];

function* machines(isRandom: boolean): Generator<Case> {
  for (const skew of SKEWS)
    for (const seed of sweep(1, 40, { step: 1, coarse: 40 })) {
      const random = randomNumbers(seed);
      const chances = Array.from({ length: 997 }, random);
      const publish: number[] = [];
      for (let at = 2_000; at < 900_000; at += Math.round(200 + random() ** 3 * 90_000)) publish.push(at);
      const machineOf = (count: number) => (isRandom ? Math.floor(chances[count % 997]! * 2) : count);
      const service = { machines: [0, -skew], machineOf };
      yield [`machines ${skew} ms apart`, { seed, service, publish, end: 1_200_000 }];
    }
}

describe('machines behind one address', () => {
  it('take turns, and are a gap whenever the index goes back, and only then', () =>
    expectNoViolation(machines(false)));

  it('are chosen at random, and are a gap whenever the index goes back, and only then', () =>
    expectNoViolation(machines(true)));
});
