import { fork } from 'node:child_process';
import { join } from 'node:path';
import { compare, interleaved } from './measure.js';
import type { Report } from './report.js';
import { replyOf } from './service-process.js';

/**
 * What a stopper has to do: stop so many watches, and open so many afterwards. It replies when all
 * are held.
 */
export interface StopperCommand {
  readonly stop: number;
  readonly open: number;
}

/** What it took to stop them, in µs. */
export interface StopperReply {
  readonly micros: number;
}

const FEW = 3_000;
const MANY = 100_000;
/** So many are stopped in each round, at random, and as many are opened again. */
const STOPS = 2_000;
const ROUNDS = 15;
const WARM_UP = 6;
/** What 100,000 watches need, and more, in MB. */
const HEAP = 6_000;

/**
 * What it costs to stop a watch among few and among many: hardly more, if no watch is looked for
 * among all others.
 */
export async function benchStops(report: Report): Promise<void> {
  const [many, few] = await Promise.all([openWatches(MANY), openWatches(FEW)]);
  const rounds = await interleaved(
    { [nameOf(MANY)]: many.timePerStop, [nameOf(FEW)]: few.timePerStop },
    { rounds: ROUNDS, warmUp: WARM_UP },
  );
  report.heading('subscription.unsubscribe() of client.events.batches(), without a network');
  // The memory of so many is in no cache. To look for each among all others would take thirty times
  // as long.
  compare(report, rounds, 'µs', { [nameOf(FEW)]: [2.5, 1.5] });
  for (const { end } of [many, few]) end();
}

function nameOf(count: number): string {
  return `among ${count.toLocaleString('en')} open watches`;
}

/** Holds so many watches in a process of its own. */
async function openWatches(count: number) {
  const child = fork(join(import.meta.dirname, 'stopper.mjs'), {
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP}`],
  });
  const tell = async (command: StopperCommand) => (await replyOf(child, command)) as StopperReply;
  await tell({ stop: 0, open: count });
  return {
    timePerStop: async () => (await tell({ stop: STOPS, open: STOPS })).micros / STOPS,
    end: () => child.disconnect(),
  };
}
