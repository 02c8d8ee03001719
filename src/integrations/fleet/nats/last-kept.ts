/**
 * Identifies a message by its position and the time when it was stored, in ms. A stream that was
 * set back, or created again, may give the position to another message, but not at the same time.
 */
export interface StoredAt {
  readonly sequence: number;
  readonly at: number;
}

/** The beginning of any stream. */
export const BEGINNING: StoredAt = { sequence: 0, at: 0 };

/**
 * The positions of the first and the last message of the stream, and when the last one was stored,
 * in ms. `first` is greater than `last` if all messages have expired. Both are 0 in a new stream.
 */
export interface StreamState {
  readonly first: number;
  readonly last: number;
  readonly lastAt: number;
}

/** Finds the first message at or after a position. `undefined` if there is none. */
export type MessageFrom = (sequence: number) => Promise<StoredAt | undefined>;

/**
 * Finds the last message that the stream still has of those up to `known`. That is `known` itself,
 * unless NATS was set back to an older copy of the stream, or the stream was created again. Then it
 * is the last one that is not newer than `known`, or the beginning. All messages after it are news
 * to a reader that had read up to `known`. A message that has expired, or was purged, counts as
 * kept.
 */
export async function lastKept(
  known: StoredAt,
  { first, last }: StreamState,
  messageFrom: MessageFrom,
): Promise<StoredAt> {
  if (known.sequence === 0 || known.sequence < first) return known;
  const there = known.sequence <= last ? await messageFrom(known.sequence) : undefined;
  if (there?.sequence === known.sequence && there.at === known.at) return known;
  // A binary search: all messages before `from` are as old as `known`, and none from `to` on is.
  let kept = BEGINNING;
  let from = first;
  let to = Math.min(last, known.sequence - 1) + 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    const message = await messageFrom(middle);
    if (message && message.sequence < to && message.at <= known.at) {
      kept = message;
      from = message.sequence + 1;
    } else {
      to = middle;
    }
  }
  // Nothing has taken the position of `known`, so the stream was not set back: it was purged.
  const next = known.sequence <= last ? await messageFrom(kept.sequence + 1) : undefined;
  const isPurged = known.sequence <= last && (next?.sequence ?? Infinity) > known.sequence;
  return isPurged ? known : kept;
}
