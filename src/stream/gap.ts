import { ageOf, type Instant } from './clocks.js';
import { ageLimit, HELD_AFTER, tolerance, type DueGap, type WatchState } from './watch-state.js';

/** How long an index may still be used, in ms. Less than 0 if it may not: there is a gap before the next answer. */
export function usableFor(indexAt: Instant, now: Instant, retention: number): number {
  return ageLimit(retention) - ageOf(indexAt, now);
}

/** Since when a poll may miss something: what is sent right after an answer or a gap misses nothing, however old its index is. */
export function knownSince(state: WatchState, askedAt: Instant, retention: number): Instant {
  const { indexAt, heardAt, coveredAt } = state;
  const isRecent = (since: Instant) => ageOf(since, askedAt) <= tolerance(retention);
  return [coveredAt, heardAt].find(isRecent) ?? indexAt;
}

/** The gap before the answer to a poll that is sent at one time and answered at another: the service may have forgotten the index by then. */
export function dueGap(
  state: WatchState,
  askedAt: Instant,
  at: Instant,
  retention: number,
): DueGap | undefined {
  const { index, coveredAt, due } = state;
  // As long as the answer after a gap cannot be acknowledged, it comes again, and the gap is known.
  const since = due?.emitted ? coveredAt : knownSince(state, askedAt, retention);
  const isForgotten = index !== undefined && usableFor(since, at, retention) < 0;
  return isForgotten && (!due || due.emitted) ? { reason: 'silence', index } : due;
}

/** Whether an answer can still be taken: its index, or a reload at its gap, is not too old. */
export function isUsable({ indexAt, coveredAt }: WatchState, now: Instant, retention: number): boolean {
  return [indexAt, coveredAt].some(since => usableFor(since, now, retention) >= 0);
}

/** What the gap before an answer depends on. */
interface Answered {
  readonly index: string | undefined;
  readonly isIdle: boolean;
  readonly arrivedAt: Instant;
}

/** The gap before an answer, if something may have been missed. */
export function gapBefore(
  state: WatchState,
  { index, isIdle, arrivedAt }: Answered,
  retention: number,
): DueGap | undefined {
  const { askedAt, due } = state;
  const isAtOnce = arrivedAt.monotonic - askedAt.monotonic < HELD_AFTER;
  // What a service says that has forgotten an old index.
  const saysForgotten =
    isIdle && isAtOnce && state.index !== undefined && usableFor(state.indexAt, askedAt, retention) < 0;
  // Even if a gap has been emitted before: what has come since then is missed, too.
  if (due && !(saysForgotten && due.emitted)) return due;
  if (saysForgotten) return { reason: 'silence', index: state.index };
  const isBackwards = index !== undefined && state.index !== undefined && isOlderIndex(index, state.index);
  return (
    dueGap(state, askedAt, arrivedAt, retention) ??
    (isBackwards ? { reason: 'index_backwards', index: state.index } : undefined)
  );
}

/** Whether one index is older than another. Only decimal ones are compared, as strings, since numbers lose digits. */
function isOlderIndex(index: string, other: string): boolean {
  if (![index, other].every(text => /^\d+$/.test(text))) return false;
  const [a, b] = [index, other].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}
