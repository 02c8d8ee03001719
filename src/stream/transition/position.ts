import { instantAt, margin, type Instant } from '../timing/index.js';
import type { Checkpoint, Gap, GapReason } from '../watch-signal.js';
import { resumePoint, type ResumePoint } from '../resume-point.js';

/** Where a watch is among the events of its service, and how certain that is (laws 3 and 5). */
export interface Position {
  /** The index for the next poll. `undefined` to start from now. */
  readonly index: string | undefined;
  /**
   * The index is no older than this: when its poll was sent or, if it came with news, the contact
   * before that.
   */
  readonly indexAt: Instant;
  /** When the service was last heard from. The next news may have waited since then. */
  readonly contactAt: Instant;
  /** When the last gap was emitted. A reload at that time misses nothing from before it. */
  readonly gapAt: Instant;
  /** Whether there is a cache on the way, so that the age of the index is not known. */
  readonly isStale: boolean;
  /**
   * The key of the last answer with news, by which a repeat is recognized, and of the one before.
   */
  readonly key: unknown;
  readonly keyBefore: unknown;
  /** A key of the last answer with news, without its index. */
  readonly content: unknown;
  /** The log that the index belongs to, if the service says so. */
  readonly handle: string | undefined;
  /** The number of answers in a row that were of another log than the index that was sent. */
  readonly mixUps: number;
  /**
   * The gap to emit before the next answer. It waits until then, since a reload only works once the
   * service is up again.
   */
  readonly due: DueGap | undefined;
}

/** A gap before an answer that has not been committed. */
export interface DueGap {
  readonly reason: GapReason;
  readonly index: string | undefined;
  /** The gap as it was emitted, if the answer after it was not acknowledged. */
  readonly emitted?: Gap | undefined;
}

/** A key that equals no other key. */
const NO_KEY = {};

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
    isStale: false,
    key: NO_KEY,
    keyBefore: NO_KEY,
    content: NO_KEY,
    mixUps: 0,
  };
  return from ? resumedPosition(fromNow, now, from, retention) : fromNow;
}

/** The position of a watch that goes on from somewhere else. */
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
    isStale: false,
    key: NO_KEY,
    keyBefore: NO_KEY,
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
  if (to && to.index === before.index) return before;
  if (to) return resumedPosition(before, now, resumePoint(to), retention);
  return { ...before, index: undefined, due: before.index === undefined ? before.due : undefined };
}

/** The checkpoint of a position. */
export function checkpointAt({ indexAt, handle, index }: Position): Checkpoint {
  const checkpoint = { index: index ?? '', at: indexAt.at };
  return handle === undefined ? checkpoint : { ...checkpoint, handle };
}
