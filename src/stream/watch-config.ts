import type { ObservableInput, SchedulerLike } from 'rxjs';
import {
  aBoolean,
  aFunction,
  milliseconds,
  nonEmptyString,
  observableInput,
  plainObject,
  positiveInteger,
  schedulerLike,
  type Check,
  type Guard,
  type Options,
  type Recovery,
} from '../error/index.js';
import type { BackoffConfig, TestingConfig } from './timing/index.js';
import { resumable } from './resume-point.js';
import type { Checkpoint, Gap, WatchLogEntry } from './watch-signal.js';

/**
 * What `ack` may decide, by emitting it: the watch ends, with this error if there is one, or it
 * continues from somewhere else, for example from a checkpoint that another process has saved.
 */
export type AckDecision =
  | { readonly watch: 'end'; readonly error?: unknown }
  | { readonly watch: 'resume'; readonly from: string | Checkpoint };

/**
 * What `ack` may return: anything to wait for, or nothing. What it emits is ignored, unless it is
 * an {@link AckDecision}.
 */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a function that returns nothing
export type AckResult = ObservableInput<AckDecision | NoDecision> | void;

/** Anything but a decision, so that a misspelt or incomplete one does not compile. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- of an async function that returns nothing
type NoDecision = string | number | boolean | bigint | symbol | null | undefined | void | NotDeciding;
type NotDeciding = object & { readonly watch?: never };

/** The options of a watch. All are optional. */
export interface WatchConfig<A> {
  /**
   * Where to resume: an index, or a checkpoint, whose age tells whether events may have been
   * missed. It counts until the first answer has been acknowledged. Default: from now.
   */
  readonly from?: string | Checkpoint | null | undefined;
  /**
   * Called after an answer has been delivered. The index advances, and the next poll is sent, only
   * after the returned Observable or promise has completed; `ack` may also work synchronously and
   * return nothing. Save the `checkpoint` here and pass it as `from` later: then nothing is lost,
   * even if the process crashes. What must not be lost has to be done here: a subscriber is not
   * waited for, and if it throws, Node ends the process before `ack` is called, but a browser goes
   * on.
   *
   * It is also called for answers without news, since their index is newer. `gap` is the gap before
   * the answer, if there is one. If it fails, the same answer is requested again. It may emit an
   * {@link AckDecision}.
   */
  readonly ack?: (answer: A, checkpoint: Checkpoint, gap?: Gap) => AckResult;
  /**
   * Emits when the machine is back (online, visible, awake). A poll that is older than a second or
   * not on a new connection is aborted, and sent again within a second, on a new one; many watches
   * take a little longer, so that they do not all ask at once. Until that poll has been sent,
   * further wakes do nothing.
   */
  readonly wake$?: ObservableInput<unknown>;
  /**
   * How long the body of an answer may take to begin, in ms, until the poll is aborted and sent
   * again. Default 70,000; the service blocks for 40–60 s. If the poll does not report when it
   * begins, the whole answer has to arrive in time.
   */
  readonly timeout?: number;
  /**
   * The minimum interval between polls without news that was taken and acknowledged, in ms, after a
   * `burst`. Default 1,000.
   */
  readonly minInterval?: number;
  /** How many polls without news may follow one without waiting. Default 3. */
  readonly burst?: number;
  /**
   * How long the service keeps events, in ms. An index may be used for 99 % of it; then there is a
   * gap. Default `Infinity`; for a client's watches 300,000.
   */
  readonly retention?: number;
  /** How long to wait after a failure; see `backoff`. */
  readonly backoff?: BackoffConfig;
  /**
   * Called before each poll, which is sent when the returned Observable or promise emits or
   * completes: many watches can share a rate limit. If it fails, so has the poll. Default: polls
   * are sent when they are due.
   */
  readonly beforePoll?: () => ObservableInput<unknown>;
  /**
   * Where the index of an answer stands, as a path of names; or a function that returns it.
   * Default: `'watch.index'`.
   */
  readonly indexOf?: string | ((answer: A) => string | number | null | undefined);
  /**
   * Whether one index is older than another: if the index goes back, there is a gap. Default:
   * decimal indexes are compared as numbers, others have no order.
   */
  readonly isOlder?: (index: string, than: string) => boolean;
  /**
   * Where an answer says which log its index belongs to, as a path of names; or a function that
   * returns it. An answer of another log is not delivered: the watch goes on without an index, with
   * a gap (`another_log`). `undefined` says nothing. Default: never.
   */
  readonly handleOf?: string | ((answer: A) => string | number | null | undefined);
  /** Whether an answer contains no news. Default: never. */
  readonly isEmpty?: (answer: A) => boolean;
  /**
   * Whether each answer is the whole state, as the members of a group are: one that differs from
   * the last one only in its index is a repeat, and no news. Default false: the answers are a log,
   * in which an event may equal the one before. There, a repeat has the same index, too. With an
   * `indexOf` that is a function, a state needs a `keyOf`.
   */
  readonly isState?: boolean;
  /**
   * Whether the service gives the same answer again if it is asked again with the same index.
   * Default true. If not (sessions of Bayeux or engine.io, a queue that is popped), each answer
   * that is not empty is news, and each poll with an index that ends without an answer is a gap
   * (`unanswered`).
   */
  readonly redelivers?: boolean;
  /**
   * Returns a key of an answer. If it equals the key of the last answer with news, the answer is a
   * repeat, and no news. Default: a hash of all of the answer; of a state, a hash of it except for
   * where its index stands.
   */
  readonly keyOf?: (answer: A) => unknown;
  /**
   * Decides what a failed poll means. Default: `recovery`, which knows this library's errors and
   * retries after others.
   */
  readonly recovery?: (error: unknown) => Recovery;
  /** Called after each poll and for each gap. Errors are swallowed. */
  readonly log?: (entry: WatchLogEntry) => void;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** What a test may have to set besides the clock. */
  readonly testing?: TestingConfig;
}

/** An answer that has its index where the default of {@link WatchConfig.indexOf} looks for it. */
export interface Indexed {
  readonly watch: { readonly index: unknown };
}

/** The config of a watch whose answers have their index elsewhere. */
export type IndexingConfig<A> = WatchConfig<A> & Required<Pick<WatchConfig<A>, 'indexOf'>>;

const retention: Guard<number> = {
  name: 'a number of milliseconds, at least 0, or Infinity',
  is: (u): u is number => typeof u === 'number' && u >= 0,
};

const PATH_OR_FUNCTION: Check = {
  name: "a path such as 'watch.index', or a function",
  is: u => aFunction.is(u) || nonEmptyString.is(u),
};

/** A check for each option of {@link WatchConfig}. */
export const WATCH_OPTIONS: Options<WatchConfig<never>> = {
  from: resumable(),
  ack: aFunction,
  wake$: observableInput,
  timeout: milliseconds,
  minInterval: milliseconds,
  burst: positiveInteger,
  retention,
  // Checked by `backoffSettings`.
  backoff: plainObject,
  beforePoll: aFunction,
  indexOf: PATH_OR_FUNCTION,
  isOlder: aFunction,
  handleOf: PATH_OR_FUNCTION,
  isEmpty: aFunction,
  isState: aBoolean,
  redelivers: aBoolean,
  keyOf: aFunction,
  recovery: aFunction,
  log: aFunction,
  scheduler: schedulerLike,
  testing: plainObject,
};
