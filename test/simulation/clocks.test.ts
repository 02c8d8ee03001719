import { deepStrictEqual, ok } from 'node:assert';
import { judge, simulate, type Scenario } from './simulate.js';
import { expectNoViolation, some, sweep, type Case } from './survey.js';

const trickle = Array.from({ length: 40 }, (_, i) => 3_000 + i * 7_000);

/** A few minutes with a change of the clock at each of these moments. */
function* steps({ by, maxGaps }: { by: number; maxGaps: number }): Generator<Case> {
  for (const at of sweep(50, 125_000, { step: 500, coarse: 12_500 }))
    for (const publish of some([[], trickle, [...trickle.slice(0, 4), at + 100]]))
      yield ['a step', { seed: at, steps: [{ at, by }], publish, end: 500_000, maxGaps }];
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

/** The machine sleeps, and an outage follows while the answer of the sleep still waits. */
function* sleepsBeforeOutages(): Generator<Case> {
  const at = 70_000;
  const pauses = [1_000, 30_000];
  for (const duration of sweep(100_000, 400_000, { step: 5_000, coarse: 50_000 }))
    for (const [seed, pause] of pauses.entries()) {
      const from = at + duration + pause;
      const scenario: Scenario = {
        seed,
        sleeps: [{ at, duration, keepsConnections: true }],
        faults: [{ kind: 'refused', from, to: from + 150_000 }],
        publish: [at + 5_000, at + duration + 30, from + 50_000, from + 300_000],
        end: from + 600_000,
      };
      yield ['a sleep before an outage', scenario];
    }
}

/** The clock is changed before an outage, or during one. */
function* stepsAndOutages(by: number): Generator<Case> {
  const times = sweep(60_000, 300_000, { step: 4_000, coarse: 24_000 });
  for (const [seed, at] of times.entries())
    for (const from of [60_000, at + 1_000, at + 45_000]) {
      const scenario: Scenario = {
        seed,
        steps: [{ at, by }],
        faults: [{ kind: 'black hole', resent: false, from, to: from + 140_000 }],
        publish: [...trickle, from + 130_000, from + 400_000].sort((a, b) => a - b),
        end: from + 700_000,
      };
      yield ['a step and an outage', scenario];
    }
}

/** How the clock is changed before a restart, and when the outage ends. */
interface Restart {
  readonly by: number;
  readonly to: number;
}

/**
 * A process ends before an outage does, and the clock is set before another process resumes from
 * the checkpoint. That checkpoint is from the first seconds, since nothing was saved after the
 * second poll had been sent. So it is about `to` ms old.
 */
function restart({ by, to }: Restart): Scenario {
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

function* restarts(): Generator<Case> {
  for (const by of [-30_000, -150_000, -320_000, -600_000])
    for (const to of sweep(200_000, 700_000, { step: 2_000, coarse: 20_000 }))
      yield [`a restart, ${by / 1_000} s`, restart({ by, to })];
}

describe('a simulated client', () => {
  it('has at most one gap, and loses nothing, if its clock is set forward', () =>
    expectNoViolation(steps({ by: 600_000, maxGaps: 1 })));

  it('has no gap, and loses nothing, if its clock is set back', () =>
    expectNoViolation(steps({ by: -600_000, maxGaps: 0 })));

  it('loses nothing if its clock stands still while the machine sleeps, and connections live on', () =>
    expectNoViolation(sleeps(true)));

  it('loses nothing if its clock stands still while the machine sleeps, and connections break', () =>
    expectNoViolation(sleeps(false)));

  it('loses nothing if an answer waits while the machine sleeps, and an outage follows', () =>
    expectNoViolation(sleepsBeforeOutages()));

  for (const by of [-600_000, 600_000]) {
    it(`loses nothing if its clock is changed by ${by / 1_000} s before an outage, or during one`, () =>
      expectNoViolation(stepsAndOutages(by)));
  }

  it('misses no more after a restart than the clock hides of the age of its checkpoint', () =>
    expectNoViolation(restarts()));
});

describe('the judge of a simulation', () => {
  // The checkpoint is 400 s old, and looks 100 s old.
  const hidden = restart({ by: -300_000, to: 400_000 });

  it('accepts a missed event without a gap if the clock hides the age of the checkpoint', () => {
    const { entries, violations } = simulate(hidden);
    deepStrictEqual(violations, []);
    deepStrictEqual(
      entries.filter(({ kind }) => kind === 'gap'),
      [],
    );
    // The first event is missed.
    const delivered = entries.flatMap(entry => (entry.kind === 'delivered' ? entry.ids : []));
    deepStrictEqual(delivered, [2]);
  });

  /** What is wrong with the same journal if the clock had been changed by another time. */
  function judgedWith(by: number): readonly string[] {
    const { entries, events } = simulate(hidden);
    const resumed = entries.findIndex(({ kind }) => kind === 'resumed');
    const others = entries.map((entry, i) =>
      i < resumed ? entry : { ...entry, wall: entry.wall + 300_000 + by },
    );
    return judge(others, events, hidden).map(({ what, detail }) => `${what}: ${detail}`);
  }

  for (const by of [0, -100_000, -410_000, -900_000]) {
    it(`demands a gap if the clock was changed by ${by / 1_000} s, which shows the age`, () => {
      deepStrictEqual(judgedWith(by), ['lost without a gap: event 1 of 380.00 s']);
    });
  }

  for (const by of [-110_000, -300_000, -400_000]) {
    it(`demands no gap if the clock was changed by ${by / 1_000} s, which hides the age`, () => {
      deepStrictEqual(judgedWith(by), []);
    });
  }

  for (const by of [-90_000, -500_000]) {
    it(`misses the gap if it is taken out of a restart with a clock changed by ${by / 1_000} s`, () => {
      const scenario = restart({ by, to: 400_000 });
      const { entries, events, violations } = simulate(scenario);
      deepStrictEqual(violations, []);
      const withoutGaps = entries.filter(({ kind }) => kind !== 'gap' && kind !== 'gap in ack');
      ok(withoutGaps.length < entries.length);
      deepStrictEqual(
        judge(withoutGaps, events, scenario).map(({ what }) => what),
        ['lost without a gap'],
      );
    });
  }
});
