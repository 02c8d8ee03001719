import { HELD_MS } from '../../error/index.js';
import { ageLimit, ageOf, margin, type Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-settings.js';
import type { DueGap, Position } from './position.js';

/**
 * How long after a moment it takes until what came then may be forgotten, in ms from now. Less than
 * 0 if it is expired.
 */
function expiresIn(since: Instant, now: Instant, retention: number): number {
  return ageLimit(retention) - ageOf(since, now);
}

function isExpired(since: Instant, now: Instant, retention: number): boolean {
  return expiresIn(since, now, retention) < 0;
}

/**
 * Since when a poll may miss something. Never before the last gap; and what is sent right after a
 * word misses nothing.
 */
function missesSince({ indexAt, contactAt, gapAt }: Position, askedAt: Instant, retention: number): Instant {
  const since = ageOf(contactAt, askedAt) <= margin(retention) ? contactAt : indexAt;
  return ageOf(gapAt, askedAt) < ageOf(since, askedAt) ? gapAt : since;
}

/**
 * The gap before the answer to a poll that was sent at one time and answered, or not, at another.
 */
export function dueGap(
  position: Position,
  askedAt: Instant,
  at: Instant,
  retention: number,
): DueGap | undefined {
  const { index, due } = position;
  const isGap = index !== undefined && isExpired(missesSince(position, askedAt, retention), at, retention);
  return isGap && (!due || due.emitted) ? { reason: 'silence', index } : due;
}

/** Whether an answer can still be taken: its index, or a reload at its gap, is not expired. */
export function isDeliverable({ indexAt, gapAt }: Position, now: Instant, retention: number): boolean {
  return [indexAt, gapAt].some(since => expiresIn(since, now, retention) >= 0);
}

/**
 * A wait, in ms, that ends a little before the index, or what may have come since the last word,
 * expires: a last chance. `early` returns how long before that, in ms.
 */
export function waitBeforeExpiry(
  position: Position,
  wait: number,
  now: Instant,
  retention: number,
  early: () => number,
): number {
  if (position.index === undefined) return wait;
  const left = [missesSince(position, now, retention), position.contactAt]
    .map(since => expiresIn(since, now, retention))
    .filter(each => each < wait);
  if (left.length === 0) return wait;
  const before = early();
  return Math.min(wait, ...left.filter(each => each > before).map(each => each - before));
}

/**
 * The position after a poll that ended without a word of the service. An index for which a gap is
 * due, and that is older than the last word allows, is dropped: the service has forgotten it, or
 * each answer to it is broken. Without one, the service answers at once.
 */
export function withoutExpired(
  position: Position,
  askedAt: Instant,
  now: Instant,
  retention: number,
): Position {
  const due = dueGap(position, askedAt, now, retention);
  const isDropped =
    position.index !== undefined &&
    due?.reason === 'silence' &&
    !due.emitted &&
    isExpired(position.contactAt, now, retention);
  return isDropped ? { ...position, index: undefined, due } : position;
}

/** What an answer says about the position of a watch. */
export interface Answered {
  readonly index: string | undefined;
  readonly handle: string | undefined;
  readonly key: unknown;
  readonly content: unknown;
  readonly isEmpty: boolean;
  readonly isNews: boolean;
  readonly askedAt: Instant;
  readonly arrivedAt: Instant;
}

export function isAtOnce({ askedAt, arrivedAt }: Answered): boolean {
  return arrivedAt.monotonic - askedAt.monotonic < HELD_MS;
}

/** The gap before an answer, if something may have been missed. */
export function gapBefore(
  position: Position,
  answered: Answered,
  { retention, isOlder }: Pick<WatchSettings<never>, 'retention' | 'isOlder'>,
): DueGap | undefined {
  const { index, isEmpty, askedAt, arrivedAt } = answered;
  const { due } = position;
  const mayBeForgotten = position.isStale || isExpired(position.indexAt, askedAt, retention);
  // What a service says at once that has forgotten an index.
  const saysForgotten = isEmpty && isAtOnce(answered) && position.index !== undefined && mayBeForgotten;
  // Even if a gap has been emitted before: what has come since then is missed, too.
  if (due && !(saysForgotten && due.emitted)) return due;
  if (saysForgotten) return { reason: 'silence', index: position.index };
  const isBackwards = index !== undefined && position.index !== undefined && isOlder(index, position.index);
  return (
    dueGap(position, askedAt, arrivedAt, retention) ??
    (isBackwards ? { reason: 'index_backwards', index: position.index } : undefined)
  );
}
