import type { Instant } from '../clocks.js';
import type { Pace, Rest } from '../kept-paces.js';
import type { WatchSettings } from '../watch-settings.js';

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

/**
 * How long the next poll has to wait, in ms, so that polls without news keep to their rate limit.
 */
export function paceWait<A>(
  { paidUntil }: Pace,
  now: Instant,
  { minInterval, burst }: WatchSettings<A>,
): number {
  return Math.max(0, paidUntil - burst * minInterval - now.monotonic);
}

/**
 * Waits for `wait` ms, at least as long as the rate limit asks for. A wake may shorten it to that.
 */
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

/** A wait that was asked for, which no wake shortens. */
export function asked(pace: Pace, now: Instant, after: number | undefined): Pace {
  return after !== undefined ? { ...pace, rest: restFor(now, pace.rest.until - now.monotonic) } : pace;
}
