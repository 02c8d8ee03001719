import { instantAt, margin, type Instant } from '../timing/index.js';
import type { Checkpoint, Gap, GapReason } from '../watch-signal.js';
import { resumePoint, type ResumePoint } from '../resume-point.js';

/** Where a watch is among the events of its service, and how certain that is: laws 3 and 5. */
export interface Position {
  /** The index for the next poll; undefined to start from now. */
  readonly index: string | undefined;
  /**
   * The index is no older than this: when the poll was sent that brought it or, if it brought news,
   * the word before that.
   */
  readonly indexAt: Instant;
  /** The last word of the service: what comes with the next news may have waited since then. */
  readonly contactAt: Instant;
  /** When the last gap was emitted: a reload there misses nothing of what was before. */
  readonly gapAt: Instant;
  /** There is a cache on the way, so that the age of the index is not known. */
  readonly isStale: boolean;
  /**
   * The key of the last answer with news, by which a repeat is recognized, and of the one before.
   */
  readonly key: unknown;
  readonly keyBefore: unknown;
  /** What the last answer with news had besides its index. */
  readonly content: unknown;
  /** Which log the index belongs to, if the service says so. */
  readonly handle: string | undefined;
  /** How many answers in a row were of another log than the index that was sent. */
  readonly mixUps: number;
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

/** Equal to no key. */
const NO_KEY = {};

/** No answer is known yet from where a watch begins, or goes on. */
const NO_ANSWER = {
  isStale: false,
  key: NO_KEY,
  keyBefore: NO_KEY,
  content: NO_KEY,
  mixUps: 0,
};

const LONG_AGO: Instant = { at: -Infinity, monotonic: -Infinity };

/** The position before the first poll. */
export function firstPosition(now: Instant, from: ResumePoint | undefined, retention: number): Position {
  const fromNow: Position = {
    index: undefined,
    indexAt: now,
    contactAt: now,
    gapAt: LONG_AGO,
    handle: undefined,
    due: undefined,
    ...NO_ANSWER,
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
  // Clocks of machines differ a little. A time that is further ahead says nothing about the age,
  // which may be any.
  const isFromFuture = -age > margin(retention);
  const indexAt = age > 0 ? instantAt(at, now) : now;
  const reason = index === undefined ? 'index_missing' : isFromFuture ? 'silence' : undefined;
  // The first answer from there may repeat the last one, and is news all the same.
  return {
    ...before,
    ...NO_ANSWER,
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
  // The age of its own index is known on both clocks.
  if (to && to.index === before.index) return before;
  if (to) return resumedPosition(before, now, resumePoint(to), retention);
  return { ...before, index: undefined, due: before.index === undefined ? before.due : undefined };
}

/** The checkpoint of a position. */
export function checkpointAt({ indexAt, handle, index }: Position): Checkpoint {
  const checkpoint = { index: index ?? '', at: indexAt.at };
  return handle === undefined ? checkpoint : { ...checkpoint, handle };
}
