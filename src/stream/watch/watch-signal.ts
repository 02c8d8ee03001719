import type { Observable } from 'rxjs';

/**
 * Why something may have been missed between two answers.
 *
 * - `silence`: there was no answer for longer than the service keeps events, or a checkpoint has a time in the future, so that
 *   its age is unknown.
 * - `index_refused`: the service did not accept the index, and the watch continued without one.
 * - `index_backwards`: the index went back, for example after a restart of the service.
 * - `index_missing`: an answer had no index to continue from, or one that fits into no URL.
 * - `unacknowledged`: the first answer could not be acknowledged, and without an index it cannot be requested again.
 * - `unwatched`: nobody was subscribed to a feed with `resume: false` for a while.
 */
export type GapReason =
  'silence' | 'index_refused' | 'index_backwards' | 'index_missing' | 'unacknowledged' | 'unwatched';

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
 * - `live`: the last poll was answered, or the service has been holding the current one for 2 s: it has nothing new.
 * - `retrying`: the last poll failed, or was not answered in time and none has been since; another one follows.
 * - `offline`: like `retrying`, but no connection could be made at all. Browsers cannot tell and report `retrying`.
 * - `acknowledging`: `ack` has not completed for 30 s. Nothing is polled meanwhile.
 * - `closed`: the watch has ended, with an error or because `ack` has decided so.
 */
export interface WatchStatus {
  readonly state: 'connecting' | 'live' | 'retrying' | 'offline' | 'acknowledging' | 'closed';
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
  /** What to check, if there has never been an answer and the error suggests a cause: the URL, for example. */
  readonly hint: string | undefined;
}

/** The status of a watch that has had no answer, unless an earlier one had. */
export function connecting(since: number, lastAnswer?: number): WatchStatus {
  return {
    ...{ state: 'connecting', since, lastAnswer, attempt: 0 },
    ...{ nextTry: undefined, error: undefined, hint: undefined },
  };
}

/**
 * Something that happens in a watch: an answer with news, a gap before it, or a new status. `idle` is an answer without news:
 * there is nothing to do but to remember its checkpoint.
 *
 * A `checkpoint` is where to resume after the answer. It is absent if an answer is made of several, as a roster is.
 */
export type WatchSignal<A> =
  | { readonly kind: 'answer'; readonly answer: A; readonly checkpoint?: Checkpoint }
  | { readonly kind: 'idle'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'status'; readonly status: WatchStatus };

/** Where to resume after a signal, if it says so. */
export function checkpointOf(signal: WatchSignal<unknown>): Checkpoint | undefined {
  return signal.kind === 'answer' || signal.kind === 'idle' ? signal.checkpoint : undefined;
}

/** A watch that can be started again from where it was. Without `from`, it starts as it was configured. */
export type ResumableWatch<A> = (position: { readonly from?: Checkpoint }) => Observable<WatchSignal<A>>;

/** What is known about a watch that is to be shared. */
export interface SharedWatch {
  /** Where its last subscriber stopped. */
  readonly from?: Checkpoint | undefined;
  /** Each answer is the whole state, so that the last one is all that a late subscriber needs. */
  readonly isState?: boolean;
}

/**
 * Starts and stops a watch as it sees fit, and emits its signals, or those of another subscriber to the same watch.
 * `lobby-rx/browser` has two of them: `whileAlive`, and what `acrossTabs` returns.
 */
export type WatchSharing = <A>(watch: ResumableWatch<A>, shared?: SharedWatch) => Observable<WatchSignal<A>>;

/** A position from which a watch can resume: an index, and when it was requested. */
export interface Checkpoint {
  /** The `watch.index` of an answer; empty if it had none. */
  readonly index: string;
  /** When that answer was requested, in ms since 1970. It shows whether the service can still know the index. */
  readonly at: number;
}
