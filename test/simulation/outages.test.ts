import { faultName, OUTAGES, type FaultKind } from './fault.js';
import { randomNumbers, type Scenario } from './simulate.js';
import { expectNoViolation, isFull, sweep, type Case } from './survey.js';

const BLOCKS = [40_000, 60_000];

/** How much of its block the poll has been held when an outage begins. */
const PHASES = [0, 0.25, 0.5, 0.75, 0.999];

/** When events are published, for an outage. In each pattern some come long after it, to show that the watch goes on. */
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
    ...{ seed, service: { block }, faults: [{ ...kind, from, to }] },
    ...{ publish: PATTERNS[pattern]!(from, to), end: to + 260_000 },
  };
}

/** Outages of a kind, of each length, with events in one of the patterns; without `FULL=1` only a few. */
function* outages(kind: FaultKind): Generator<Case> {
  const random = randomNumbers(Number(process.env.SEED ?? 0));
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  const some = <T>(all: readonly T[]) => (isFull ? all : [pick(all)]);
  let seed = Math.floor(random() * 1_000_000);
  for (const duration of sweep(100_000, 360_000, { step: 2_000, coarse: 26_000 }))
    for (const block of some(BLOCKS))
      for (const phase of some(PHASES))
        yield [faultName(kind), outage(kind, duration, block, phase, pick(Object.keys(PATTERNS)), seed++)];
}

describe('a simulated outage', () => {
  for (const kind of OUTAGES) {
    it(`loses nothing, and is a gap only if it lasts: ${faultName(kind)}`, () =>
      expectNoViolation(outages(kind)));
  }
});
