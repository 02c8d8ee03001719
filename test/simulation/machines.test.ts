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

  it('lose nothing without a gap in an outage, if their clocks differ by less than the margin of the retention', () =>
    expectNoViolation(
      sweep(200_000, 320_000, { step: 1_000, coarse: 15_000 }).flatMap(duration =>
        [5, 200, 2_000].map((skew): Case => {
          const to = 100_000 + duration;
          const service = { machines: [0, skew] };
          const faults = [{ kind: 'refused', from: 100_000, to } as const];
          const publish = [99_000, 99_050, 99_500, to - 30_000, to + 100_000];
          return ['an outage', { seed: duration, service, faults, publish, end: to + 300_000 }];
        }),
      ),
    ));
});
