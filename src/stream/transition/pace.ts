import { backoffDelay, spreadOver, type Instant } from '../timing/index.js';
import type { WatchSettings } from '../watch-settings.js';
import type { Answered, Outcome } from './outcome.js';
import { expiresIn, missesSince } from './position.js';
import type { Pace, Position, Rest, Turn } from './watch-state.js';

export function firstPace(now: Instant): Pace {
  return { paidUntil: -Infinity, rest: restFor(now, 0), attempt: 0 };
}

/** Charges a poll that is sent. Each poll costs `minInterval`. */
export function charged(pace: Pace, now: Instant, minInterval: number): Pace {
  return { ...pace, paidUntil: Math.max(pace.paidUntil, now.monotonic) + minInterval };
}

/** How many polls without news may follow the first one without a wait. */
const BURST = 3;

/**
 * News that came at once and equals the news before it may come this often, in ms. A log may have
 * many equal events. A server that ignores the index gives the same one for ever.
 */
const EQUAL_NEWS_MS = 100;

/**
 * The price of a poll whose news has been consumed, in ms. It is free, unless the news came at once
 * and may come again and again.
 */
function priceOf(
  { isNews, isAtOnce, hasMoved, content }: Answered,
  last: Position,
  minInterval: number,
): number {
  if (!isNews || (isAtOnce && !hasMoved)) return minInterval;
  return isAtOnce && content === last.content ? Math.min(EQUAL_NEWS_MS, minInterval) : 0;
}

/** How long the next poll has to wait, in ms, because of the rate limit of polls without news. */
export function paceWait<A>({ paidUntil }: Pace, now: Instant, { minInterval }: WatchSettings<A>): number {
  return Math.max(0, paidUntil - BURST * minInterval - now.monotonic);
}

/**
 * The pace with a wait of `wait` ms, or longer if the rate limit asks for it. A wake may shorten
 * the wait to the rate limit, unless the service asked for it.
 */
export function rested<A>(
  pace: Pace,
  wait: number,
  now: Instant,
  settings: WatchSettings<A>,
  isAsked = false,
): Pace {
  const least = paceWait(pace, now, settings);
  const longest = Math.max(least, wait);
  return { ...pace, rest: restFor(now, longest, isAsked ? longest : least) };
}

/** A wait that begins now. A wake may not shorten it to less than `least`. */
export function restFor(now: Instant, wait: number, least = wait): Rest {
  return { until: now.monotonic + wait, earliest: now.monotonic + least };
}

/** How long the watch still has to wait, in ms. */
export function waitLeft({ rest }: Pace, now: number): number {
  return Math.max(0, rest.until - now);
}

/** The pace after the outcome of a poll (laws 6 and 7). */
export function nextPace<A>(turn: Turn<A>, outcome: Outcome<A>, position: Position): Pace {
  const { state, now, settings } = turn;
  const { pace } = state;
  switch (outcome.kind) {
    case 'contact': {
      const { answered } = outcome;
      const heard = { ...pace, attempt: 0 };
      if (!answered) return rested(heard, 0, now, settings);
      const { minInterval } = settings;
      const refund = minInterval - priceOf(answered, state.position, minInterval);
      const paid = { ...heard, paidUntil: pace.paidUntil - refund };
      // Without an index the service answers at once.
      return rested(paid, answered.index === undefined ? settings.minInterval : 0, now, settings);
    }
    case 'cut': {
      const { spread, retryAfter } = outcome;
      return rested(pace, Math.max(spread, retryAfter ?? 0), now, settings, retryAfter !== undefined);
    }
    case 'failure': {
      const { isOfAnotherLog, retryAfter } = outcome;
      // Between the answers of two logs there is contact, which ends no backoff of theirs.
      const attempt = 1 + (isOfAnotherLog ? state.position.mixUps - 1 : pace.attempt);
      // The wait that the service asked for is a part of it.
      const backoff = backoffDelay(attempt, settings.backoff, settings.random(), retryAfter);
      const isAsked = retryAfter !== undefined;
      const wait = isAsked ? backoff : waitBeforeExpiry(position, backoff, now, settings);
      return rested({ ...pace, attempt }, wait, now, settings, isAsked);
    }
    case 'echo':
    case 'end':
      return rested(pace, 0, now, settings);
  }
}

/** How long before it expires an index is tried once more, in ms: `latest`, plus up to `spread`. */
const LAST_CHANCE_MS = { latest: 2_000, spread: 5_000 };

/**
 * Shortens a backoff, in ms, so that one more try comes a little before the index expires, or
 * before the events since the last answer do. The tries are spread out, since many watches may have
 * got their index with one event.
 */
function waitBeforeExpiry<A>(
  position: Position,
  backoff: number,
  now: Instant,
  settings: WatchSettings<A>,
): number {
  const { retention } = settings;
  if (position.index === undefined) return backoff;
  const left = [missesSince(position, now, retention), position.contactAt]
    .map(since => expiresIn(since, now, retention))
    .filter(expiry => expiry < backoff);
  if (left.length === 0) return backoff;
  const early = LAST_CHANCE_MS.latest + spreadOver(LAST_CHANCE_MS.spread, settings);
  return Math.min(backoff, ...left.filter(expiry => expiry > early).map(expiry => expiry - early));
}
