/**
 * Why something may have been missed between two answers.
 *
 * - `silence`: there was no answer for longer than the service keeps events.
 * - `index_refused`: the service did not accept the index, and the watch continued without one.
 * - `index_backwards`: the index went back, for example after a restart of the service.
 * - `index_missing`: an answer had no index to continue from.
 */
export type GapReason = 'silence' | 'index_refused' | 'index_backwards' | 'index_missing';

/** A point in a watch where something may have been missed. It is emitted before the next answer. */
export interface Gap {
  readonly reason: GapReason;
  /** When it was emitted, in ms since 1970. */
  readonly at: number;
  /** The index that the watch could not continue from, if it had one. */
  readonly index: string | undefined;
}

/**
 * The status of a watch.
 *
 * - `connecting`: there has been no answer yet.
 * - `live`: the last poll was answered.
 * - `retrying`: the last poll failed or was not answered in time; another one follows.
 * - `offline`: like `retrying`, but no connection could be made at all. Browsers cannot tell and report `retrying`.
 * - `closed`: the watch has ended with an error.
 */
export interface WatchStatus {
  readonly state: 'connecting' | 'live' | 'retrying' | 'offline' | 'closed';
  /** When this state began, in ms since 1970. */
  readonly since: number;
  /** When the last answer came, in ms since 1970. */
  readonly lastAnswer: number | undefined;
  /** The number of consecutive failed polls. */
  readonly attempt: number;
  /** When the next poll will be sent after a failure, in ms since 1970. */
  readonly nextTry: number | undefined;
  /** The error of the last poll, if it failed. */
  readonly error: unknown;
}

/** Something that happens in a watch: an answer with news, a gap before it, or a new status. */
export type WatchSignal<A> =
  | { readonly kind: 'answer'; readonly answer: A }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'status'; readonly status: WatchStatus };

/** A position from which a watch can resume: an index, and when it was requested. */
export interface Checkpoint {
  /** The `watch.index` of an answer; empty if it had none. */
  readonly index: string;
  /** When that answer was requested, in ms since 1970. It shows whether the service can still know the index. */
  readonly at: number;
}

/**
 * An entry of the log of a watch.
 *
 * - `turn`: a poll is over. `why` says how it ended, and `wait` how long the watch waits before the next poll, in ms: there
 *   was `news`; there was `nothing` new, and polls are spaced out; the poll `failed`, and the watch backs off; the service
 *   `asked` for the wait; the machine `woke`; the consumer's `ack` failed; or the watch `ended`.
 * - `gap`: something may have been missed.
 */
export type WatchLogEntry = {
  /** The time, in ms since 1970. */
  readonly at: number;
  /** The number of the watch in this process, starting at 1. */
  readonly watchId: number;
} & (
  | {
      readonly kind: 'turn';
      readonly why: 'news' | 'nothing' | 'failed' | 'asked' | 'woke' | 'ack' | 'ended';
      readonly wait: number;
      /** The number of consecutive failed polls. */
      readonly attempt: number;
      readonly error: unknown;
    }
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly index: string | undefined }
);
