import { spreadOver, ageLimit, ageOf, margin, type Instant } from '../timing/index.js';
import type { WatchSettings } from '../watch-settings.js';
import type { DueGap, Position } from './watch-state.js';

/**
 * How long the service still knows the events of a moment, in ms from now. Below 0 if they are
 * expired.
 */
function expiresIn(since: Instant, now: Instant, retention: number): number {
  return ageLimit(retention) - ageOf(since, now);
}

export function isExpired(since: Instant, now: Instant, retention: number): boolean {
  return expiresIn(since, now, retention) < 0;
}

/**
 * The time from which a poll may miss events: the last contact if the poll is sent right after it,
 * otherwise the time of the index. It is never before the last gap.
 */
function missesSince({ indexAt, contactAt, gapAt }: Position, askedAt: Instant, retention: number): Instant {
  const since = ageOf(contactAt, askedAt) <= margin(retention) ? contactAt : indexAt;
  return ageOf(gapAt, askedAt) < ageOf(since, askedAt) ? gapAt : since;
}

/** The gap that is due at a time, for a poll that was sent at `askedAt`. */
export function dueGap(
  position: Position,
  askedAt: Instant,
  at: Instant,
  retention: number,
): DueGap | undefined {
  const { index, due } = position;
  if (index === undefined || (due && !due.emitted)) return due;
  const isSilent = isExpired(missesSince(position, askedAt, retention), at, retention);
  return isSilent ? { reason: 'silence', index } : due;
}

/** Whether an answer can still be delivered: its index, or a reload at its gap, is not expired. */
export function isDeliverable({ indexAt, gapAt }: Position, now: Instant, retention: number): boolean {
  return [indexAt, gapAt].some(since => !isExpired(since, now, retention));
}

/** How long before it expires an index is tried once more, in ms: `latest`, plus up to `spread`. */
const LAST_CHANCE_MS = { latest: 2_000, spread: 5_000 };

/**
 * Shortens a backoff, in ms, so that one more try comes a little before the index expires, or
 * before the events since the last answer do. The tries are spread out, since many watches may have
 * got their index with one event.
 */
export function waitBeforeExpiry<A>(
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

/**
 * The position after a poll that ended without an answer from the service. The index is dropped if
 * a gap is due for it, and the last answer is too old as well. Then the service has forgotten the
 * index, or each answer to it is broken. Without an index, the service answers at once.
 */
export function withoutExpired<A>(
  position: Position,
  askedAt: Instant,
  now: Instant,
  { retention }: WatchSettings<A>,
): Position {
  const due = dueGap(position, askedAt, now, retention);
  const isDropped =
    position.index !== undefined &&
    due?.reason === 'silence' &&
    !due.emitted &&
    isExpired(position.contactAt, now, retention);
  return isDropped ? { ...position, index: undefined, due } : position;
}
