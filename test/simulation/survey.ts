import { fail } from 'node:assert';
import { randomNumbers, simulate, type Scenario } from './simulate.js';
import { explain, type Violation } from './judge/violation.js';

/** A scenario, and what it is an example of. */
export type Case = readonly [group: string, Scenario];

/** For the longest with `FULL=1`, in ms: half a minute where nothing else runs. */
export const LONG = 300_000;

/** Whether to run everything: `FULL=1`. */
const isFull = Boolean(process.env.FULL);
const SEED = Number(process.env.SEED ?? 0);
let random = randomNumbers(SEED);

interface Finding {
  readonly scenario: Scenario;
  readonly violation: Violation;
  readonly explanation: string;
  count: number;
}

/**
 * Runs many scenarios. Fails if there is none, or if a law is broken. The message says how often in
 * which group, with the first example of each. `SHOW=1` shows more of the examples.
 */
export function expectNoViolation(cases: Iterable<Case>): void {
  const findings = new Map<string, Finding>();
  // A test chooses the same whichever have run before it.
  random = randomNumbers(SEED);
  let runs = 0;
  for (const [group, scenario] of cases) {
    runs++;
    const { violations, entries } = simulate(scenario);
    // A run counts once for each kind of violation.
    for (const [what, violation] of new Map([...violations].reverse().map(v => [v.what, v] as const))) {
      const key = `${group}: ${what}`;
      const found = findings.get(key);
      if (found) found.count++;
      else findings.set(key, { scenario, violation, explanation: explain(violation, entries), count: 1 });
    }
  }
  if (runs === 0) fail('No scenario was run.');
  if (findings.size === 0) return;
  const table = [...findings].map(([key, { count }]) => `${String(count).padStart(6)} × ${key}`);
  const examples = [...findings].slice(0, process.env.SHOW ? Infinity : 1);
  const texts = examples.map(
    ([key, { scenario, explanation }]) => `${key}\n${JSON.stringify(scenario)}\n${explanation}`,
  );
  fail([`Violations in ${runs} runs:`, ...table, '', ...texts].join('\n'));
}

/**
 * Numbers from `first` to `last`: every `step`-th with `FULL=1`, otherwise every `coarse`-th, from
 * a seeded offset.
 */
export function sweep(
  first: number,
  last: number,
  { step, coarse }: { step: number; coarse: number },
): readonly number[] {
  const by = isFull ? step : coarse;
  const offset = isFull ? 0 : Math.floor((SEED % Math.round(coarse / step)) * step);
  return Array.from(
    { length: Math.floor((last - first - offset) / by) + 1 },
    (_, i) => first + offset + i * by,
  );
}

/** All with `FULL=1`, otherwise one of them, at random. */
export function some<T>(all: readonly T[]): readonly T[] {
  return isFull ? all : [all[Math.floor(random() * all.length)]!];
}
