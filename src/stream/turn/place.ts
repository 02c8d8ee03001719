import { ageOf, instantAt, type Instant } from '../clocks.js';
import type { Checkpoint, Gap, GapReason } from '../watch-signal.js';
import { ageLimit, resumePoint, type ResumePoint } from '../watch-config.js';

/** Where a watch is among the events of its service, and how certain that is: laws 3 and 5. */
export interface Place {
  /** The index for the next poll; undefined to start from now. */
  readonly index: string | undefined;
  /** The index is no older than this: when the poll was sent that brought it or, if it brought news, the word before that. */
  readonly indexAt: Instant;
  /** The last word of the service: what comes with the next news may have waited since then. */
  readonly wordAt: Instant;
  /** When the last gap was emitted: a reload there misses nothing of what was before. */
  readonly gapAt: Instant;
  /** There is a cache on the way, so that the age of the index is not known. */
  readonly isEchoed: boolean;
  /** The key of the last answer with news. */
  readonly key: unknown;
  /** A gap to emit before the next answer: a reload only works once the service is up again. */
  readonly due: DueGap | undefined;
}

/** A gap before an answer that has not been committed. */
export interface DueGap {
  readonly reason: GapReason;
  readonly index: string | undefined;
  /** It has been emitted, but the answer after it was not acknowledged. */
  readonly emitted?: Gap;
}

/** An answer without news that comes sooner than this, in ms, was not held by the service. */
export const HELD_MS = 2_000;

/** Equal to no key. */
const NO_KEY = {};

const LONG_AGO: Instant = { at: -Infinity, monotonic: -Infinity };

/** The place before the first poll. */
export function firstPlace(now: Instant, from: ResumePoint | undefined, retention: number): Place {
  const fromNow: Place = {
    index: undefined,
    ...{ indexAt: now, wordAt: now, gapAt: LONG_AGO },
    ...{ isEchoed: false, key: NO_KEY, due: undefined },
  };
  return from ? resumedPlace(fromNow, now, from, retention) : fromNow;
}

/** The place of a watch that goes on from somewhere else. */
export function resumedPlace(
  before: Place,
  now: Instant,
  { index, at = now.at }: ResumePoint,
  retention: number,
): Place {
  const age = now.at - at;
  // Clocks of machines differ a little. A time that is further ahead says nothing about the age, which may be any.
  const isFromFuture = -age > margin(retention);
  const indexAt = age > 0 ? instantAt(at, now) : now;
  const reason = index === undefined ? 'index_missing' : isFromFuture ? 'silence' : undefined;
  // The first answer from there may repeat the last one, and is news all the same.
  const fresh = { index, indexAt, wordAt: indexAt, key: NO_KEY, isEchoed: false };
  return { ...before, ...fresh, due: reason && { reason, index } };
}

/** The place of a watch that goes on elsewhere: at a checkpoint or, without one, from now. */
export function movedPlace(
  before: Place,
  now: Instant,
  to: Checkpoint | undefined,
  retention: number,
): Place {
  // The age of its own index is known on both clocks.
  if (to && to.index === before.index) return before;
  if (to) return resumedPlace(before, now, resumePoint(to), retention);
  return { ...before, index: undefined, due: before.index === undefined ? before.due : undefined };
}

/** What is sent within this time, in ms, after a word of the service misses nothing: events are kept much longer. */
function margin(retention: number): number {
  return Math.min(retention, MAX_MARGIN_MS) * 0.01;
}

/** A margin of one per cent of this is enough for a service that forgets nothing, in ms. */
const MAX_MARGIN_MS = 86_400_000;

/** How long after a moment it takes until what came then may be forgotten, in ms from now. Less than 0 if it is expired. */
function expiresIn(since: Instant, now: Instant, retention: number): number {
  return ageLimit(retention) - ageOf(since, now);
}

function isExpired(since: Instant, now: Instant, retention: number): boolean {
  return expiresIn(since, now, retention) < 0;
}

/** Since when a poll may miss something. Never before the last gap; and what is sent right after a word misses nothing. */
function missesSince({ indexAt, wordAt, gapAt }: Place, askedAt: Instant, retention: number): Instant {
  const since = ageOf(wordAt, askedAt) <= margin(retention) ? wordAt : indexAt;
  return ageOf(gapAt, askedAt) < ageOf(since, askedAt) ? gapAt : since;
}

/** The gap before the answer to a poll that was sent at one time and answered, or not, at another. */
export function dueGap(place: Place, askedAt: Instant, at: Instant, retention: number): DueGap | undefined {
  const { index, due } = place;
  const isGap = index !== undefined && isExpired(missesSince(place, askedAt, retention), at, retention);
  return isGap && (!due || due.emitted) ? { reason: 'silence', index } : due;
}

/** Whether an answer can still be taken: its index, or a reload at its gap, is not expired. */
export function isTakable({ indexAt, gapAt }: Place, now: Instant, retention: number): boolean {
  return [indexAt, gapAt].some(since => expiresIn(since, now, retention) >= 0);
}

/**
 * A wait, in ms, that ends a little before the index, or what may have come since the last word, expires: a last chance. `early` returns how
 * long before that, in ms.
 */
export function waitBeforeExpiry(
  place: Place,
  wait: number,
  now: Instant,
  retention: number,
  early: () => number,
): number {
  if (place.index === undefined) return wait;
  const left = [missesSince(place, now, retention), place.wordAt]
    .map(since => expiresIn(since, now, retention))
    .filter(each => each < wait);
  if (left.length === 0) return wait;
  const before = early();
  return Math.min(wait, ...left.filter(each => each > before).map(each => each - before));
}

/**
 * The place after a poll that ended without a word of the service. An index for which a gap is due, and that is older than the last word
 * allows, is dropped: the service has forgotten it, or each answer to it is broken. Without one, the service answers at once.
 */
export function withoutExpired(place: Place, askedAt: Instant, now: Instant, retention: number): Place {
  const due = dueGap(place, askedAt, now, retention);
  const isDropped =
    place.index !== undefined &&
    due?.reason === 'silence' &&
    !due.emitted &&
    isExpired(place.wordAt, now, retention);
  return isDropped ? { ...place, index: undefined, due } : place;
}

/** What an answer says about the place of a watch. */
interface Answered {
  readonly index: string | undefined;
  readonly key: unknown;
  readonly isIdle: boolean;
  readonly isNews: boolean;
  readonly askedAt: Instant;
  readonly arrivedAt: Instant;
}

/** Whether an answer may be a cache's: it says nothing new, at once, and with the very index that was sent. */
export function isEcho(place: Place, answered: Answered, retention: number): boolean {
  const { index, isNews } = answered;
  return (
    !isNews && index !== undefined && index === place.index && isAtOnce(answered) && retention < Infinity
  );
}

function isAtOnce({ askedAt, arrivedAt }: Answered): boolean {
  return arrivedAt.monotonic - askedAt.monotonic < HELD_MS;
}

/** The place after an answer, and the gap before it, even if that has been emitted earlier. */
export function placeAfter(
  before: Place,
  answered: Answered,
  now: Instant,
  retention: number,
): { readonly place: Place; readonly gap: Gap | undefined } {
  const { index, key, isNews, askedAt } = answered;
  const due = gapBefore(before, answered, retention);
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  const place: Place = {
    ...before,
    ...{ index, key },
    // What came with news may have waited since the last word.
    indexAt: isNews && before.index !== undefined ? before.wordAt : askedAt,
    gapAt: gap && !due.emitted ? now : before.gapAt,
    // Without an index the next poll starts from now and misses what happens in between.
    due: index === undefined ? { reason: 'index_missing', index: before.index } : undefined,
  };
  return { place, gap };
}

/** The gap before an answer, if something may have been missed. */
function gapBefore(place: Place, answered: Answered, retention: number): DueGap | undefined {
  const { index, isIdle, askedAt, arrivedAt } = answered;
  const { due } = place;
  const mayBeForgotten = place.isEchoed || isExpired(place.indexAt, askedAt, retention);
  // What a service says at once that has forgotten an index.
  const saysForgotten = isIdle && isAtOnce(answered) && place.index !== undefined && mayBeForgotten;
  // Even if a gap has been emitted before: what has come since then is missed, too.
  if (due && !(saysForgotten && due.emitted)) return due;
  if (saysForgotten) return { reason: 'silence', index: place.index };
  const isBackwards = index !== undefined && place.index !== undefined && isOlderIndex(index, place.index);
  return (
    dueGap(place, askedAt, arrivedAt, retention) ??
    (isBackwards ? { reason: 'index_backwards', index: place.index } : undefined)
  );
}

/** Whether one index is older than another. Only decimal ones are compared, as strings, since numbers lose digits. */
function isOlderIndex(index: string, other: string): boolean {
  if (![index, other].every(text => /^\d+$/.test(text))) return false;
  const [a, b] = [index, other].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}
