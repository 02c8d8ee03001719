import type { Instant } from '../timing/index.js';
import type { Pace, Rest } from '../kept-paces.js';
import type { WatchSettings } from '../watch-settings.js';

export function firstPace(now: Instant): Pace {
  return { paidUntil: -Infinity, rest: restFor(now, 0) };
}

/** Charges a poll that is sent. Each poll costs `minInterval`. */
export function charged(pace: Pace, now: Instant, minInterval: number): Pace {
  return { ...pace, paidUntil: Math.max(pace.paidUntil, now.monotonic) + minInterval };
}

/** Refunds a poll whose news has been consumed. */
export function refunded(pace: Pace, minInterval: number): Pace {
  return { ...pace, paidUntil: pace.paidUntil - minInterval };
}

/** How long the next poll has to wait, in ms, because of the rate limit of polls without news. */
export function paceWait<A>(
  { paidUntil }: Pace,
  now: Instant,
  { minInterval, burst }: WatchSettings<A>,
): number {
  return Math.max(0, paidUntil - burst * minInterval - now.monotonic);
}

/** How long to wait before the next poll, in ms. */
export interface Wait {
  /** Default 0. */
  readonly wait?: number;
  /** The wait that the service asked for. `undefined` if it asked for none. */
  readonly retryAfter?: number | undefined;
}

/**
 * Waits for `wait` ms, or longer if the rate limit asks for it. A wake may shorten the wait to the
 * rate limit, unless the service asked for it.
 */
export function restAtLeast<A>(
  pace: Pace,
  { wait = 0, retryAfter }: Wait,
  now: Instant,
  settings: WatchSettings<A>,
): Pace {
  const least = paceWait(pace, now, settings);
  const longest = Math.max(least, wait);
  return { ...pace, rest: restFor(now, longest, retryAfter === undefined ? least : longest) };
}

/** A wait that begins now. A wake may not shorten it to less than `least`. */
export function restFor(now: Instant, wait: number, least = wait): Rest {
  return { until: now.monotonic + wait, earliest: now.monotonic + least };
}

/** How long the watch still has to wait, in ms. */
export function waitLeft({ rest }: Pace, now: number): number {
  return Math.max(0, rest.until - now);
}
