import { asyncScheduler, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { cursorArgument } from '../../error/index.js';
import type { Gap } from './watch-signal.js';

/** The share of the retention within which the service certainly still knows an index, slightly older than its answer. */
const MARGIN = 0.99;

/** When something happened, on two clocks, in ms. The wall clock may be set; the monotonic one may stop while the machine sleeps. */
export interface Instant {
  /** Since 1970. */
  readonly at: number;
  /** Since any moment; undefined if it happened in another process. */
  readonly monotonic: number | undefined;
}

/** This moment. */
export function instant({
  scheduler,
  monotonic,
}: Record<'scheduler' | 'monotonic', TimestampProvider>): Instant {
  return { at: scheduler.now(), monotonic: monotonic.now() };
}

/** One that is derived from the `asyncScheduler`, such as one that keeps its timers out of Angular's zone, is of its time. */
export function isRealTime(scheduler: SchedulerLike): boolean {
  return scheduler === asyncScheduler || Object.prototype.isPrototypeOf.call(asyncScheduler, scheduler);
}

/** An index as it is sent back: a string, even if the service sends a number; undefined if it is empty or fits into no URL. */
export function usableIndex(index: unknown): string | undefined {
  const text = typeof index === 'number' ? String(index) : index;
  return cursorArgument.is(text) ? text : undefined;
}

/** The index of an answer of this service. */
export function watchIndexOf(answer: unknown): unknown {
  return (answer as { watch?: { index?: unknown } | null } | null)?.watch?.index;
}

/** Whether one index is older than another. Only decimal ones are compared, as strings, since numbers lose digits. */
export function isOlderIndex(index: string, other: string): boolean {
  if (!isDecimal(index) || !isDecimal(other)) return false;
  const [a, b] = [index, other].map(digits => digits.replace(/^0+(?=\d)/, '')) as [string, string];
  return a.length === b.length ? a < b : a.length < b.length;
}

/** The newer of two indexes. If they cannot be compared, it is the second one. */
export function newerIndex(before: string | undefined, index: string): string {
  return before !== undefined && isOlderIndex(index, before) ? before : index;
}

function isDecimal(index: string): boolean {
  return /^\d+$/.test(index);
}

/**
 * Whether the service may have forgotten an index that was known at `since`. The larger age of the two clocks counts. A time in
 * the future says nothing about the age of a checkpoint, so that it may be any.
 */
export function mayBeForgotten(since: Instant, now: Instant, retention: number): boolean {
  const limit = retention * MARGIN;
  const age = now.at - since.at;
  if (since.monotonic === undefined || now.monotonic === undefined)
    return age > limit || age < limit - retention;
  return Math.max(age, now.monotonic - since.monotonic) > limit;
}

/** A gap before it is emitted. */
export type UntoldGap = Omit<Gap, 'at'>;

/** What is known of the index that a poll is sent from. */
export interface IndexAge {
  readonly index: string | undefined;
  /** The index is no older than this; undefined if nobody knows. The service forgets it after the retention. */
  readonly issued: Instant | undefined;
  /** Until then nothing has been missed: there was an answer, or the service held a poll and would have told of anything new. */
  readonly coveredUntil: Instant | undefined;
}

/** Whether a poll that is sent now from this index may miss something, since the service has forgotten the index. */
export function isForgotten(
  { index, issued, coveredUntil }: IndexAge,
  askedAt: Instant,
  retention: number,
): boolean {
  if (index === undefined || !issued || !mayBeForgotten(issued, askedAt, retention)) return false;
  // Polls that follow each other closely miss nothing, however old the index is.
  return !coveredUntil || mayBeForgotten(coveredUntil, askedAt, retention * (1 - MARGIN));
}

/** The gap before an answer with this index. Without an index to poll from, it has been known since that was lost. */
export function gapBefore(
  before: IndexAge & { readonly gap: UntoldGap | undefined },
  index: string | undefined,
  { askedAt, now }: { readonly askedAt: Instant; readonly now: Instant },
  retention: number,
): UntoldGap | undefined {
  const { index: from } = before;
  if (from === undefined) return before.gap;
  // The answer may have been waiting while the process slept. Then its own index is too old.
  const isSilence = isForgotten(before, askedAt, retention) || mayBeForgotten(askedAt, now, retention);
  if (isSilence) return { reason: 'silence', index: from };
  const isBackwards = index !== undefined && isOlderIndex(index, from);
  return isBackwards ? { reason: 'index_backwards', index: from } : undefined;
}
