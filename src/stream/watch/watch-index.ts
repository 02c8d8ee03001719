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

/** The gap before an answer with this index. If there was no index to poll from, it has been known since that was lost. */
export function gapBefore(
  before: {
    readonly index: string | undefined;
    readonly knownSince: Instant | undefined;
    readonly gap: UntoldGap | undefined;
  },
  index: string | undefined,
  now: Instant,
  retention: number,
): UntoldGap | undefined {
  const { index: from, knownSince } = before;
  if (from === undefined) return before.gap;
  if (knownSince && mayBeForgotten(knownSince, now, retention)) return { reason: 'silence', index: from };
  const isBackwards = index !== undefined && isOlderIndex(index, from);
  return isBackwards ? { reason: 'index_backwards', index: from } : undefined;
}

/** A gap before it is emitted. */
export type UntoldGap = Omit<Gap, 'at'>;
