import { faultName, OUTAGES, type FaultKind } from './world/fault.js';
import type { Scenario } from './simulate.js';
import { expectNoViolation, LONG, some, sweep, type Case } from './survey.js';

const BLOCKS = [40_000, 60_000];

/** How much of its block the poll has been held when an outage begins. */
const PHASES = [0, 0.25, 0.5, 0.75, 0.999];

/**
 * When events are published, for an outage. In each pattern some come long after it, to show that
 * the watch goes on.
 */
const PATTERNS: Readonly<Record<string, (from: number, to: number) => readonly number[]>> = {
  quiet: (_from, to) => [to + 80_000],
  burst: (from, to) => {
    const middle = (from + to) / 2;
    return [from + 2_000, middle, middle + 10, middle + 20, to - 1_000, to + 200, to + 80_000];
  },
  trickle: (from, to) => {
    const before = [-24_500, -17_500, -10_500, -3_500].map(after => from + after);
    const during = Array.from(
      { length: Math.floor((to - from) / 29_000) },
      (_, i) => from + 3_500 + i * 29_000,
    );
    return [...before, ...during, ...[3_500, 10_500, 17_500, 80_000].map(after => to + after)];
  },
};

/** An outage that begins when the third poll has been held for a part of its block. */
function outage(
  kind: FaultKind,
  duration: number,
  block: number,
  phase: number,
  pattern: string,
  seed: number,
): Scenario {
  const from = Math.round(100 + block + phase * block);
  const to = from + duration;
  return {
    seed,
    service: { block },
    faults: [{ ...kind, from, to }],
    publish: PATTERNS[pattern]!(from, to),
    end: to + 260_000,
  };
}

/**
 * Outages of a kind, of each length, with events in one of the patterns; without `FULL=1` only a
 * few.
 */
function* outages(kind: FaultKind): Generator<Case> {
  let seed = Number(process.env.SEED ?? 0);
  const patterns = Object.keys(PATTERNS);
  for (const duration of sweep(100_000, 360_000, { step: 2_000, coarse: 40_000 }))
    for (const block of some(BLOCKS))
      for (const phase of some(PHASES)) {
        const pattern = patterns[seed++ % patterns.length]!;
        yield [faultName(kind), outage(kind, duration, block, phase, pattern, seed)];
      }
}

describe('a simulated outage', () => {
  for (const kind of OUTAGES) {
    it(`loses nothing, and is a gap only if it lasts: ${faultName(kind)}`, () =>
      expectNoViolation(outages(kind))).timeout(LONG);
  }

  it('loses nothing if another one follows a gap', () =>
    expectNoViolation(
      sweep(200_000, 300_000, { step: 2_000, coarse: 20_000 }).flatMap(duration =>
        [1_000, 5_000, 20_000].flatMap(pause =>
          [60_000, 120_000, 200_000].map((second, seed): Case => {
            const to = 80_500 + duration;
            const faults = [
              { kind: 'black hole', resent: false, from: 80_500, to },
              { kind: 'refused', from: to + pause, to: to + pause + second },
            ] as const;
            const publish = [81_000, to + pause + second / 2, to + pause + second + 100_000];
            return [
              'two outages',
              { seed, faults, publish, end: to + pause + second + 500_000, settle: 300_000 },
            ];
          }),
        ),
      ),
    ));
});
