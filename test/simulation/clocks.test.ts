import { deepStrictEqual, ok } from 'node:assert';
import { judge, simulate, type Scenario } from './simulate.js';
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
            seed: duration + at,
            publish,
            end: at + duration + 400_000,
            settle: 200_000,
            sleeps: [{ at, duration, keepsConnections, wakeAfter }],
          };
          yield [`a sleep, ${wakeAfter === undefined ? 'no' : 'a'} wake`, scenario];
        }
}

/**
 * A process ends before an outage does, and the clock is set before another one resumes from its
 * checkpoint. That has the age of the outage's end, since nothing was saved after the second poll
 * had been sent.
 */
function restart(by: number, to: number): Scenario {
  const down = to - 500;
  return {
    seed: to - by,
    publish: [to - 20_000, to + 200_000],
    end: to + 400_000,
    faults: [{ kind: 'refused', from: 60_000, to }],
    steps: [{ at: down, by }],
    subscriber: { kind: 'batches', ack: { time: 0, crashes: [down] } },
  };
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

  describe('may be set back while a process is down', () => {
    // The checkpoint is 400 s old, and looks 100 s old.
    const hidden = restart(-300_000, 400_000);

    it('which hides that much of the age of its checkpoint, and no more', () =>
      expectNoViolation(
        [-30_000, -150_000, -320_000, -600_000].flatMap(by =>
          sweep(200_000, 700_000, { step: 2_000, coarse: 20_000 }).map((to): Case => [
            `a restart, ${by / 1_000} s`,
            restart(by, to),
          ]),
        ),
      ));

    it('so that what the service has forgotten may be missed, without a gap', () => {
      const { entries, violations } = simulate(hidden);
      const seen = entries.flatMap((entry): readonly unknown[] =>
        entry.kind === 'delivered' ? entry.ids : entry.kind === 'gap' ? [entry.reason] : [],
      );
      deepStrictEqual([seen, violations], [[2], []]);
    });

    it('but not if it was set back by less, or by so much that it shows', () => {
      const { entries, events } = simulate(hidden);
      const judged = (by: number) => {
        const resumed = entries.findIndex(({ kind }) => kind === 'resumed');
        const other = entries.map((entry, i) =>
          i < resumed ? entry : { ...entry, wall: entry.wall + 300_000 + by },
        );
        return judge(other, events, hidden).map(({ what, detail }) => `${what}: ${detail}`);
      };
      const lost = ['lost without a gap: event 1 of 380.00 s'];
      deepStrictEqual([0, -100_000, -410_000, -900_000].map(judged), [lost, lost, lost, lost]);
      deepStrictEqual([-110_000, -300_000, -400_000].map(judged), [[], [], []]);
    });

    it('and the gap has to come where the clock shows the age', () => {
      for (const by of [-90_000, -500_000]) {
        const scenario = restart(by, 400_000);
        const { entries, events, violations } = simulate(scenario);
        const silent = entries.filter(({ kind }) => kind !== 'gap' && kind !== 'gap in ack');
        ok(silent.length < entries.length && violations.length === 0);
        deepStrictEqual(
          judge(silent, events, scenario).map(({ what }) => what),
          ['lost without a gap'],
        );
      }
    });
  });
});
