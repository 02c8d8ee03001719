import type { Instant } from './clocks.js';
import type { WatchSettings } from './watch-config.js';
import type { Rest, WatchState } from './watch-state.js';

/** Up to when polls without news are paid for, once this one is sent: each costs `minInterval`. */
export function charged({ paidUntil }: WatchState, now: Instant, minInterval: number): number {
  return Math.max(paidUntil, now.monotonic) + minInterval;
}

/** The same, once the news of a poll has been taken. */
export function refunded({ paidUntil }: WatchState, minInterval: number): number {
  return paidUntil - minInterval;
}

/** How long the next poll has to wait, in ms, so that polls without news keep to their rate limit. */
export function paceWait<A>(
  { paidUntil }: WatchState,
  now: Instant,
  { minInterval, burst }: WatchSettings<A>,
): number {
  return Math.max(0, paidUntil - burst * minInterval - now.monotonic);
}

/** A wait that begins now. A wake may not shorten it to less than `least`. */
export function restFor(now: Instant, wait: number, least = wait): Rest {
  return { until: now.monotonic + wait, earliest: now.monotonic + least };
}
