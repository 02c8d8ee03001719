/**
 * Why something may have been missed between two answers.
 *
 * - `silence`: nothing was heard for longer than the service keeps events.
 * - `index_refused`: the service did not go on from the index; the watch began anew without one.
 * - `index_backwards`: the index went back, as after a restart of the service.
 * - `index_missing`: an answer brought no index to go on from.
 */
export type GapReason = 'silence' | 'index_refused' | 'index_backwards' | 'index_missing';

/** A place in a watch where something may have been missed. It comes before the first answer after it. */
export interface Gap {
  readonly reason: GapReason;
  /** When it was told, in ms since 1970. */
  readonly at: number;
  /** The index that the watch could not go on from, if it had one. */
  readonly index: string | undefined;
}

/**
 * How a watch is doing.
 *
 * - `connecting`: the first answer is still to come.
 * - `live`: the last poll was answered.
 * - `retrying`: the last poll failed, or was not answered in time; there will be another.
 * - `offline`: the same, and no connection could be made at all. Browsers do not tell: there it is `retrying`.
 * - `closed`: it ended with the error that follows.
 */
export interface WatchStatus {
  readonly state: 'connecting' | 'live' | 'retrying' | 'offline' | 'closed';
  /** Since when it is in this state, in ms since 1970. */
  readonly since: number;
  /** When the last answer came, in ms since 1970. */
  readonly lastAnswer: number | undefined;
  /** How many consecutive polls have failed. */
  readonly attempt: number;
  /** When the next poll is sent, in ms since 1970, if it has to wait. */
  readonly nextTry: number | undefined;
  /** What the last poll failed with. */
  readonly error: unknown;
}

/** Everything that happens in a watch, in order: an answer with news, a gap before it, a new status. */
export type WatchSignal<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'status'; readonly status: WatchStatus };

/** Where a watch stood, to go on from there: an index, and when it was asked for. */
export interface Checkpoint {
  /** The `watch.index` of an answer; empty if it had none. */
  readonly index: string;
  /** When that answer was asked for, in ms since 1970. The index is no older, so this tells whether it can still be known. */
  readonly at: number;
}

/**
 * One entry of the log of a watch.
 *
 * - `turn`: a poll has been dealt with. `why` says what it came to, and `wait` how long the watch waits before the next one,
 *   in ms: there was `news`, or `nothing` and polls are kept apart; the poll `failed`, and the watch backs off; the service
 *   `asked` for the wait; the machine `woke`; the consumer's `ack` failed; or the watch `ended`.
 * - `gap`: something may have been missed.
 */
export type WatchLogEntry = {
  /** When, in ms since 1970. */
  readonly at: number;
  /** Which watch, counted from 1 in this process. */
  readonly watchId: number;
} & (
  | {
      readonly kind: 'turn';
      readonly why: 'news' | 'nothing' | 'failed' | 'asked' | 'woke' | 'ack' | 'ended';
      readonly wait: number;
      /** How many consecutive polls have failed. */
      readonly attempt: number;
      readonly error: unknown;
    }
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly index: string | undefined }
);
