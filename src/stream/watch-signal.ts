import { Observable, type OperatorFunction } from 'rxjs';

/**
 * Why something may have been missed between two answers.
 *
 * - `silence`: the index, or an answer that a feed queued for a subscriber, is so old that the
 *   service may have dropped events after it. Or a checkpoint has a time in the future.
 * - `index_rejected`: the service did not accept the index. The watch continued without one.
 * - `index_backwards`: the index went back, for example after a restart of the service. Or it is
 *   one that came before.
 * - `index_missing`: an answer had no index to continue from, or one that fits into no URL.
 * - `unacknowledged`: an answer could not be acknowledged, and cannot be requested again. It was
 *   the first one, without an index before it, or the service has `redelivers: false`.
 * - `forgotten`: the service itself said that events before the answer are missing (`hasGap`).
 * - `another_log`: an answer was of another log than the index that was sent (`handle`). The
 *   watch continued without one.
 * - `unanswered`: a poll ended without an answer. What it would have brought does not come again
 *   (`redelivers: false`).
 * - `unwatched`: a feed with `resume: false` had no subscribers for a while. Or a tab has missed
 *   more than the others remember.
 */
export type GapReason =
  | 'silence'
  | 'index_rejected'
  | 'index_backwards'
  | 'index_missing'
  | 'unacknowledged'
  | 'forgotten'
  | 'another_log'
  | 'unanswered'
  | 'unwatched';

/**
 * A point in a watch where something may have been missed. It is emitted before the next answer.
 */
export interface Gap {
  readonly reason: GapReason;
  /** When it was emitted, in ms since 1970. */
  readonly at: number;
  /** The index that the watch could not continue from. `undefined` if it had none. */
  readonly index: string | undefined;
}

/**
 * The status of a watch.
 *
 * - `idle`: nothing polls, because a feed has no subscribers, or the client renders pages.
 * - `connecting`: there has been no answer yet, or none since a feed was returned to.
 * - `live`: the service has answered. Or it has been holding a poll with an index for 2 s, which
 *   means that it has nothing new. If the poll before ended without an answer, it takes 2 s longer
 *   than that poll was held. Once the browser says that it is online again, it takes 5 s.
 * - `retrying`: the last poll failed (see `error`), or the service has said nothing for 150 s (see
 *   `hint`). Another poll follows.
 * - `offline`: like `retrying`, but no connection could be made at all. Or the browser of a page
 *   says that it has no network.
 * - `acknowledging`: `ack` has not completed for 30 s. Until it has, nothing is polled.
 * - `closed`: the watch has ended, with an error, or because `ack` has decided so or the log is
 *   closed.
 */
export interface WatchStatus {
  readonly state: 'idle' | 'connecting' | 'live' | 'retrying' | 'offline' | 'acknowledging' | 'closed';
  /** When this state began, in ms since 1970. */
  readonly since: number;
  /** When the last answer came, in ms since 1970. */
  readonly lastAnswer: number | undefined;
  /** The number of consecutive failed polls. */
  readonly attempt: number;
  /**
   * When the next poll will be sent, in ms since 1970. `undefined` unless the watch waits after a
   * failure or for its quota, or a feed that returns waits for its pace. The time of a quota is
   * approximate.
   */
  readonly nextTry: number | undefined;
  /** The error of the last poll, if it failed. */
  readonly error: unknown;
  /**
   * What to check. For example, the URL if there has never been an answer, a proxy that may cut
   * polls off, a cache that may answer instead of the service, the network, the index or the quota.
   */
  readonly hint: string | undefined;
}

/** The signal of a status. */
export type StatusSignal = Extract<WatchSignal<never>, { kind: 'status' }>;

/** The status of a watch that has had no answer. `lastAnswer` may be from an earlier watch. */
export function connecting(since: number, lastAnswer?: number): WatchStatus {
  return {
    state: 'connecting',
    since,
    lastAnswer,
    attempt: 0,
    nextTry: undefined,
    error: undefined,
    hint: undefined,
  };
}

/** The status of a watch that sends nothing. */
export function idle(since: number): WatchStatus {
  return { ...connecting(since), state: 'idle' };
}

/**
 * Something that happens in a watch: an answer with news, a gap before it, or a new status. A
 * signal of kind `checkpoint` stands for an answer without news. The only thing to do is to
 * remember its checkpoint.
 *
 * A `checkpoint` is where to resume after the answer. It is absent if an answer is made of several,
 * like a roster. The answer of a roster has the `status` that it begins, so that both can be shown
 * at once. A signal with the same status follows.
 */
export type WatchSignal<A> =
  | {
      readonly kind: 'answer';
      readonly answer: A;
      readonly checkpoint?: Checkpoint;
      readonly status?: WatchStatus | undefined;
    }
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'gap'; readonly gap: Gap }
  | { readonly kind: 'status'; readonly status: WatchStatus };

/** Where to resume after a signal. `undefined` if the signal does not say. */
export function checkpointOf(signal: WatchSignal<unknown>): Checkpoint | undefined {
  return signal.kind === 'answer' || signal.kind === 'checkpoint' ? signal.checkpoint : undefined;
}

/** Keeps only the answers of a watch. */
export function answers<A>(): OperatorFunction<WatchSignal<A>, A> {
  return signals$ =>
    // One operator, not `filter` and `map`, since a process may hold thousands of watches.
    new Observable(subscriber =>
      signals$.subscribe({
        next: signal => {
          if (signal.kind === 'answer') subscriber.next(signal.answer);
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      }),
    );
}

/**
 * A watch that can be started again from where it was. Without `from`, it starts as it was
 * configured.
 */
export type ResumableWatch<A> = (position: Pick<SharedWatch, 'from'>) => Observable<WatchSignal<A>>;

/** The facts about a watch that is to be shared. */
export interface SharedWatch {
  /** Where its last subscriber stopped. */
  readonly from?: Checkpoint | undefined;
  /**
   * Whether each answer is the whole state. Then the last one is all that a late subscriber needs.
   */
  readonly isState?: boolean;
}

/**
 * Runs a watch when it chooses to, and emits its signals or those of another subscriber.
 * `lobby-rx/browser` has two of them: `whileAlive`, and what `acrossTabs` returns.
 */
export type WatchSharing = <A>(watch: ResumableWatch<A>, shared?: SharedWatch) => Observable<WatchSignal<A>>;

/** A position from which a watch can resume. */
export interface Checkpoint {
  /** The `watch.index` of an answer. Empty if the answer had none. */
  readonly index: string;
  /**
   * The index is no older than this, in ms since 1970. It is when the answer was requested. If the
   * answer had news, it is when the service had answered before that. It shows whether the service
   * can still know the index.
   */
  readonly at: number;
  /** The log that the index belongs to, if the answer said so (`handle`). */
  readonly handle?: string;
}

/**
 * An entry of the log of a watch.
 *
 * - `poll_end`: a poll is over, or a feed was left or returned to. `why` says how it ended. `wait`
 *   is how long the watch waits before the next poll, in ms.
 * - `status`: the status that the watch has from now on, as its subscribers see it. Without
 *   subscribers, a feed is `idle`.
 * - `gap`: something may have been missed.
 * - `slow`: a callback has not ended for 30 s, and the next poll waits for it. If it is `ack`, the
 *   status says so.
 */
export type WatchLogEntry = {
  /** The time, in ms since 1970. */
  readonly at: number;
  /** The number of the watch in this process, starting at 1. */
  readonly watchId: number;
} & (
  | {
      readonly kind: 'poll_end';
      readonly why: PollEnd;
      readonly wait: number;
      /** The number of consecutive failed polls. */
      readonly attempt: number;
      readonly error: unknown;
    }
  | { readonly kind: 'status'; readonly status: WatchStatus }
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly index: string | undefined }
  | { readonly kind: 'slow'; readonly callback: 'beforePoll' }
);

/**
 * How a poll ended, and why the watch waits before the next one.
 *
 * - `news`: there was news.
 * - `no_news`: the service had no news.
 * - `stale`: the answer is an echo, which a cache may have sent.
 * - `cut`: an intermediary cut the poll off, or no answer came in time.
 * - `failed`: the poll failed, and the watch backs off.
 * - `retry_after`: the service asked for the wait.
 * - `woken`: the machine woke.
 * - `ack_failed`: the consumer's `ack` failed.
 * - `paused`: the last subscriber of a feed left. Or the answer that was queued for the next one is
 *   dropped.
 * - `resumed`: a feed was returned to.
 * - `ended`: the watch ended.
 */
export type PollEnd =
  | 'news'
  | 'no_news'
  | 'stale'
  | 'cut'
  | 'failed'
  | 'retry_after'
  | 'woken'
  | 'ack_failed'
  | 'paused'
  | 'resumed'
  | 'ended';
