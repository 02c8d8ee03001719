import { bounded, type Bound, type Report } from './report.js';

/** What several contenders took in each of several rounds. */
export interface Rounds<K extends string> {
  readonly names: readonly K[];
  median(name: K): number;
  /** The median of the ratios of each round. What disturbs a round disturbs both. */
  ratio(name: K, beside: K): number;
}

/**
 * Measures contenders in turn, in as many rounds, each round in the opposite order of the one
 * before, so that other load on the machine affects all of them. What comes first, in `warmUp`
 * rounds more, does not count.
 */
export async function interleaved<K extends string>(
  contenders: Readonly<Record<K, () => number | Promise<number>>>,
  { rounds, warmUp = 1 }: { readonly rounds: number; readonly warmUp?: number },
): Promise<Rounds<K>> {
  const names = Object.keys(contenders) as K[];
  const figures = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const figure = await contenders[name]();
      if (round >= 0) figures[name].push(figure);
    }
  }
  return roundsOf(figures);
}

/** The rounds of figures that were measured otherwise. */
export function roundsOf<K extends string>(figures: Readonly<Record<K, readonly number[]>>): Rounds<K> {
  return {
    names: Object.keys(figures) as K[],
    median: name => median(figures[name]),
    ratio: (name, beside) => median(figures[name].map((figure, i) => figure / figures[beside][i]!)),
  };
}

export function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[list.length >> 1] ?? NaN;
}

/** Adds a figure of each contender, and how many times as much the first one takes. */
export function compare<K extends string>(
  report: Report,
  rounds: Rounds<K>,
  unit: string,
  bounds: Partial<Record<K, Bound>> = {},
): void {
  const [ours, ...others] = rounds.names as [K, ...K[]];
  report.add({ name: ours, value: rounds.median(ours), unit });
  for (const name of others) {
    const ratio = rounds.ratio(ours, name);
    report.add({ name, value: rounds.median(name), unit, ratio, ...bounded(bounds[name]) });
  }
}

/** The CPU time of this process that a task takes, in µs. */
export async function cpuOf(task: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The heap in use after a full garbage collection, in MB. */
export function heap(): number {
  if (!global.gc) throw new Error('run with --expose-gc');
  for (let i = 0; i < 3; i++) global.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
