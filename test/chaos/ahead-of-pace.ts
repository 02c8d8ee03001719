import type { Journal } from './journal.js';
import type { ChaosPlan, SeenRequest } from './messages.js';

/** How many polls without news may be ahead of the pace. */
export const BURST = 3;

/**
 * How many requests of an identity were sent ahead of the pace, at most: one per `minInterval`,
 * besides those that brought news which was taken and committed. A watch that keeps its pace is
 * never more than its burst ahead, in no part of the run.
 *
 * News counts as committed if events were delivered between two requests with different indexes. A
 * new watch has a new burst.
 */
export function aheadOfPace(
  requests: readonly SeenRequest[],
  { deliveredAt, startedAt }: Pick<Journal, 'deliveredAt' | 'startedAt'>,
  { minInterval }: Pick<ChaosPlan, 'minInterval'>,
): number {
  const delivered = passing(deliveredAt);
  const started = passing(startedAt);
  let last = { at: 0, index: '' };
  let ahead = 0;
  let most = 0;
  for (const [, at, index] of [...requests].sort(([, a], [, b]) => a - b)) {
    const news = delivered(at) > 0 && index !== last.index ? 1 : 0;
    ahead -= (at - last.at) / minInterval + news + BURST * started(at);
    ahead = Math.max(0, ahead) + 1;
    most = Math.max(most, ahead);
    last = { at, index };
  }
  return most;
}

/** The most requests in any minute. */
export function mostInAMinute(requests: readonly SeenRequest[]): number {
  const times = requests.map(([, at]) => at).sort((a, b) => a - b);
  let from = 0;
  return times.reduce((most, at, i) => {
    while (times[from]! < at - 60_000) from++;
    return Math.max(most, i - from + 1);
  }, 0);
}

/** Returns how many of these times have passed since it was last asked. */
function passing(times: readonly number[]): (now: number) => number {
  let next = 0;
  return now => {
    const from = next;
    while (next < times.length && times[next]! <= now) next++;
    return next - from;
  };
}
