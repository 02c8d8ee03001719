import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';

/** When the next poll may be sent: law 6. */
export interface Pace {
  /** The rate limit of polls without news is paid up to this time, on the monotonic clock. */
  readonly paidUntil: number;
  /** The wait before the next poll. */
  readonly rest: Rest;
}

/** A wait, on the monotonic clock. A wake may shorten it, but not to before `earliest`. */
export interface Rest {
  readonly until: number;
  readonly earliest: number;
}

export function firstPace(now: Instant): Pace {
  return { paidUntil: -Infinity, rest: restFor(now, 0) };
}

/** A poll is sent, and paid for: each costs `minInterval`. */
export function charged(pace: Pace, now: Instant, minInterval: number): Pace {
  return { ...pace, paidUntil: Math.max(pace.paidUntil, now.monotonic) + minInterval };
}

/** The news of a poll has been taken. */
export function refunded(pace: Pace, minInterval: number): Pace {
  return { ...pace, paidUntil: pace.paidUntil - minInterval };
}

/** How long the next poll has to wait, in ms, so that polls without news keep to their rate limit. */
export function paceWait<A>(
  { paidUntil }: Pace,
  now: Instant,
  { minInterval, burst }: WatchSettings<A>,
): number {
  return Math.max(0, paidUntil - burst * minInterval - now.monotonic);
}

/** Waits for `wait` ms, at least as long as the rate limit asks for. A wake may shorten it to that. */
export function paced<A>(pace: Pace, now: Instant, settings: WatchSettings<A>, wait = 0): Pace {
  const least = paceWait(pace, now, settings);
  return { ...pace, rest: restFor(now, Math.max(least, wait), least) };
}

/** A wait that begins now. A wake may not shorten it to less than `least`. */
export function restFor(now: Instant, wait: number, least = wait): Rest {
  return { until: now.monotonic + wait, earliest: now.monotonic + least };
}

/** How long the watch still has to wait, in ms. */
export function waitLeft({ rest }: Pace, now: number): number {
  return Math.max(0, rest.until - now);
}
