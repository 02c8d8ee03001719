import { expectNoViolation, sweep, type Case } from './survey.js';
import { simulate, type Scenario } from './simulate.js';
import { ok } from 'node:assert';

const quiet: readonly number[] = [];
const trickle = Array.from({ length: 60 }, (_, i) => 3_000 + i * 7_000);

/** A few minutes with a change of the clock at each of these moments. */
function* steps(by: number): Generator<Case> {
  for (const at of sweep(50, 125_000, { step: 500, coarse: 12_500 }))
    for (const publish of [quiet, trickle, [...trickle.slice(0, 4), at + 100]])
      yield ['a step', { seed: at, steps: [{ at, by }], publish, end: 600_000 }];
}

function* sleeps(keepsConnections: boolean): Generator<Case> {
  for (const duration of sweep(5_000, 400_000, { step: 5_000, coarse: 55_000 }))
    for (const at of [50_000, 70_000, 79_000])
      for (const wakeAfter of [undefined, 0, 3_000])
        for (const publish of [quiet, [at + 1_000, at + duration / 2, at + duration + 150_000], trickle]) {
          const scenario: Scenario = {
            ...{ seed: duration + at, publish, end: at + duration + 400_000, settle: 200_000 },
            sleeps: [{ at, duration, keepsConnections, wakeAfter }],
          };
          yield [`a sleep, ${wakeAfter === undefined ? 'no' : 'a'} wake`, scenario];
        }
}

describe('the clocks of a simulated client', () => {
  it('may be set forward: that is at most one gap, and nothing is lost', () => {
    expectNoViolation(steps(600_000));
    for (const [, scenario] of steps(600_000))
      ok(simulate(scenario).entries.filter(({ kind }) => kind === 'gap').length <= 1);
  });

  it('may be set back: that is no gap, and nothing is lost', () => expectNoViolation(steps(-600_000)));

  it('may stand still while it sleeps, and its connections live on', () => expectNoViolation(sleeps(true)));

  it('may stand still while it sleeps, and its connections break', () => expectNoViolation(sleeps(false)));

  it('may be set while nobody hears the service', () =>
    expectNoViolation(
      [-600_000, 600_000].flatMap(by =>
        sweep(60_000, 300_000, { step: 4_000, coarse: 48_000 }).map((at, seed): Case => {
          const faults = [{ kind: 'black hole', resent: false, from: 60_000, to: 200_000 } as const];
          return [
            'a step in an outage',
            { seed, faults, steps: [{ at, by }], publish: trickle, end: 700_000 },
          ];
        }),
      ),
    ));
});
