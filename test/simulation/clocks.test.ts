import type { Scenario } from './simulate.js';
import { expectNoViolation, some, sweep, type Case } from './survey.js';

const trickle = Array.from({ length: 40 }, (_, i) => 3_000 + i * 7_000);

/** A few minutes with a change of the clock at each of these moments. */
function* steps(by: number): Generator<Case> {
  for (const at of sweep(50, 125_000, { step: 500, coarse: 12_500 }))
    for (const publish of some([[], trickle, [...trickle.slice(0, 4), at + 100]]))
      yield ['a step', { seed: at, steps: [{ at, by }], publish, end: 500_000, maxGaps: 1 }];
}

function* sleeps(keepsConnections: boolean): Generator<Case> {
  for (const duration of sweep(5_000, 400_000, { step: 5_000, coarse: 40_000 }))
    for (const at of some([50_000, 70_000, 79_000]))
      for (const wakeAfter of some([undefined, 0, 3_000]))
        for (const publish of some([[], [at + 1_000, at + duration / 2, at + duration + 150_000], trickle])) {
          const scenario: Scenario = {
            ...{ seed: duration + at, publish, end: at + duration + 400_000, settle: 200_000 },
            sleeps: [{ at, duration, keepsConnections, wakeAfter }],
          };
          yield [`a sleep, ${wakeAfter === undefined ? 'no' : 'a'} wake`, scenario];
        }
}

describe('the clocks of a simulated client', () => {
  it('may be set forward: that is at most one gap, and nothing is lost', () =>
    expectNoViolation(steps(600_000)));

  it('may be set back: that is no gap, and nothing is lost', () => expectNoViolation(steps(-600_000)));

  it('may stand still while it sleeps, and its connections live on', () => expectNoViolation(sleeps(true)));

  it('may stand still while it sleeps, and its connections break', () => expectNoViolation(sleeps(false)));

  it('may stand still while an answer waits, before an outage', () =>
    expectNoViolation(
      sweep(100_000, 400_000, { step: 5_000, coarse: 50_000 }).flatMap(duration =>
        [1_000, 30_000].map((pause, seed): Case => {
          const [at, from] = [70_000, 70_000 + duration + pause];
          const fault = { kind: 'refused', from, to: from + 150_000 } as const;
          const publish = [at + 5_000, at + duration + 30, from + 50_000, from + 300_000];
          const sleeps = [{ at, duration, keepsConnections: true }];
          return [
            'a sleep before an outage',
            { seed, sleeps, faults: [fault], publish, end: from + 600_000 },
          ];
        }),
      ),
    ));

  it('may be set during an outage, and before one', () =>
    expectNoViolation(
      [-600_000, 600_000].flatMap(by =>
        sweep(60_000, 300_000, { step: 4_000, coarse: 24_000 }).flatMap((at, seed) =>
          [60_000, at + 1_000, at + 45_000].map((from): Case => {
            const faults = [{ kind: 'black hole', resent: false, from, to: from + 140_000 } as const];
            const publish = [...trickle, from + 130_000, from + 400_000].sort((a, b) => a - b);
            return [
              'a step and an outage',
              { seed, faults, steps: [{ at, by }], publish, end: from + 700_000 },
            ];
          }),
        ),
      ),
    ));
});
