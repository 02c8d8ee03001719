import { HELD_MS } from '../../error/index.js';
import { ageLimit, ageOf, hasSlept, instantAt, margin, type Instant } from '../timing/index.js';
import type { Checkpoint, GapReason } from '../watch-signal.js';
import { resumePoint, type ResumePoint } from '../resume-point.js';
import type { WatchSettings } from '../watch-settings.js';
import type { Answered, Outcome } from './outcome.js';
import type { DueGap, Position, Turn } from './watch-state.js';

/** A key that equals no other key. */
const NO_KEY = {};

/** How many answers that came at once are remembered. */
const MAX_QUICK = 16;

/** One empty list for all watches. */
const NO_QUICK: Position['quick'] = [];

/** A time before anything has happened. */
export const LONG_AGO: Instant = { at: -Infinity, monotonic: -Infinity };

/** The position before the first poll. */
export function firstPosition(now: Instant, from: ResumePoint | undefined, retention: number): Position {
  const fromNow: Position = {
    index: undefined,
    indexAt: now,
    contactAt: now,
    gapAt: LONG_AGO,
    handle: undefined,
    due: undefined,
    isAgeUnknown: false,
    key: NO_KEY,
    quick: NO_QUICK,
    echoed: NO_KEY,
    content: NO_KEY,
    mixUps: 0,
    indexless: 0,
  };
  return from ? resumedPosition(fromNow, now, from, retention) : fromNow;
}

/** The position of a watch that goes on from a resume point. */
export function resumedPosition(
  before: Position,
  now: Instant,
  { index, at = now.at, handle }: ResumePoint,
  retention: number,
): Position {
  const age = now.at - at;
  // The clocks of machines differ a little. A time that is further ahead says nothing about the
  // age, which may be any.
  const isFromFuture = -age > margin(retention);
  const indexAt = age > 0 ? instantAt(at, now) : now;
  let reason: GapReason | undefined;
  if (index === undefined) reason = 'index_missing';
  else if (isFromFuture) reason = 'silence';
  // The first answer from there may repeat the last one, and is news all the same.
  return {
    ...before,
    isAgeUnknown: false,
    key: NO_KEY,
    quick: NO_QUICK,
    echoed: NO_KEY,
    content: NO_KEY,
    mixUps: 0,
    index,
    indexAt,
    contactAt: indexAt,
    handle,
    due: reason && { reason, index },
  };
}

/** The position of a watch that goes on elsewhere: at a checkpoint or, without one, from now. */
export function movedPosition(
  before: Position,
  now: Instant,
  to: Checkpoint | undefined,
  retention: number,
): Position {
  // The age of the watch's own index is known on both clocks.
  if (to && to.index === before.index && to.handle === before.handle) return before;
  if (to) return resumedPosition(before, now, resumePoint(to), retention);
  return { ...before, index: undefined, due: before.index === undefined ? before.due : undefined };
}

export function checkpointAt({ indexAt, handle, index }: Position): Checkpoint {
  const checkpoint = { index: index ?? '', at: indexAt.at };
  return handle === undefined ? checkpoint : { ...checkpoint, handle };
}

/** The position after the outcome of a poll (laws 3 and 5). */
export function nextPosition<A>({ state, now, settings }: Turn<A>, outcome: Outcome<A>): Position {
  const { position: before, askedAt } = state;
  switch (outcome.kind) {
    case 'contact': {
      const contactAt = answeredAt(askedAt, outcome.at, settings.timeout);
      const isHeld = !isAtOnce(askedAt, outcome.at);
      const quick = isHeld ? NO_QUICK : before.quick;
      const heard = { ...before, contactAt, isAgeUnknown: false, quick, echoed: NO_KEY };
      const { answered, gap } = outcome;
      if (outcome.isOfAnotherLog) return inNoLog(heard);
      // The index is as old as before, since no new one came.
      if (!answered)
        return { ...heard, due: dueGap(before, askedAt, now, settings.retention) ?? dueWithout(before) };
      const gapAt = gap && !gap.emitted ? now : before.gapAt;
      return { ...heard, ...movedBy(before, answered), gapAt };
    }
    case 'echo':
      // The age of the index is no longer known, if indexes have an age.
      return {
        ...withoutExpired(before, askedAt, now, settings),
        isAgeUnknown: settings.retention !== Infinity,
        echoed: outcome.key ?? NO_KEY,
      };
    case 'failure': {
      const { index } = before;
      if (outcome.isOfAnotherLog) return inNoLog(before);
      if (outcome.dropsIndex === true && index !== undefined)
        return { ...before, index: undefined, due: { reason: 'index_rejected', index } };
      return withoutExpired(before, askedAt, now, settings);
    }
    case 'cut':
      return withoutExpired(before, askedAt, now, settings);
    case 'end':
      return before;
  }
}

/**
 * The gap that is due after contact without an index, since the next poll starts from now. It comes
 * before the first answer with an index or news.
 */
function dueWithout({ index }: Position): DueGap | undefined {
  return index === undefined ? { reason: 'index_missing', index } : undefined;
}

/** Whether the service answered a poll without holding it. */
export function isAtOnce(askedAt: Instant, arrivedAt: Instant): boolean {
  return arrivedAt.monotonic - askedAt.monotonic < HELD_MS;
}

/**
 * Whether an index is older than that of the position. Indexes that have no order never go back
 * (`isOlder`).
 */
export function goesBack<A>(
  { index: before }: Position,
  index: string | undefined,
  { isOlder }: WatchSettings<A>,
): boolean {
  return index !== undefined && before !== undefined && isOlder(index, before);
}

/** When the service sent an answer. The answer may have waited while the machine slept. */
function answeredAt(askedAt: Instant, arrivedAt: Instant, timeout: number): Instant {
  return hasSlept(askedAt, arrivedAt) || ageOf(askedAt, arrivedAt) > timeout ? askedAt : arrivedAt;
}

/** The position after an answer of another log. */
function inNoLog(before: Position): Position {
  const { index, due, mixUps } = before;
  return {
    ...before,
    index: undefined,
    handle: undefined,
    mixUps: mixUps + 1,
    due: due && !due.emitted ? due : { reason: 'another_log', index },
  };
}

/** The changes that an answer makes to the position. */
function movedBy(before: Position, answered: Answered): Partial<Position> {
  const { index, handle, key, content, isNews, isSetBack, askedAt } = answered;
  return {
    index,
    // What comes again is news, since it was lost in between.
    key: isSetBack ? NO_KEY : key,
    quick: quickAfter(before, answered),
    content,
    handle: handle ?? before.handle,
    // Only an answer to an index shows that there is one log.
    mixUps: before.index === undefined ? before.mixUps : 0,
    indexless: index === undefined ? before.indexless + 1 : 0,
    // News may have waited since the last answer.
    indexAt: isNews && before.index !== undefined ? before.contactAt : askedAt,
    // Without an index the next poll starts from now, and misses the events in between.
    due: index === undefined ? { reason: 'index_missing', index: before.index } : undefined,
  };
}

/**
 * The news that came at once, after an answer. A poll that is held until it is answered forgets
 * them, and so does a watch that the service has set back to the end of its log.
 */
function quickAfter({ index: before, quick }: Position, answered: Answered): Position['quick'] {
  const { index, key, isNews, isSetBack, end } = answered;
  if (!answered.isAtOnce || (isSetBack && end !== undefined)) return NO_QUICK;
  const earlier = before === undefined ? NO_QUICK : quick;
  if (!isNews || index === undefined) return earlier;
  const others = earlier.filter(news => news.index !== index);
  return [{ index, key }, ...others.slice(0, MAX_QUICK - 1)];
}

/**
 * How long the service still knows the events of a moment, in ms from now. Below 0 if they are
 * expired.
 */
export function expiresIn(since: Instant, now: Instant, retention: number): number {
  return ageLimit(retention) - ageOf(since, now);
}

export function isExpired(since: Instant, now: Instant, retention: number): boolean {
  return expiresIn(since, now, retention) < 0;
}

/**
 * The time from which a poll may miss events: the last contact if the poll is sent right after it,
 * otherwise the time of the index. It is never before the last gap.
 */
export function missesSince(
  { indexAt, contactAt, gapAt }: Position,
  askedAt: Instant,
  retention: number,
): Instant {
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

/**
 * The position after a poll that ended without an answer from the service. The index is dropped if
 * a gap is due for it, and the last answer is too old as well. Then the service has forgotten the
 * index, or each answer to it is broken. Without an index, the service answers at once.
 */
function withoutExpired<A>(
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
