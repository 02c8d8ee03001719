import type { ObservableInput, SchedulerLike } from 'rxjs';
import {
  aBoolean,
  aFunction,
  milliseconds,
  nonEmptyString,
  observableInput,
  plainObject,
  schedulerLike,
  type Check,
  type Guard,
  type Options,
  type Recovery,
} from '../error/index.js';
import type { Awaitable } from './awaited.js';
import type { BackoffConfig, TestingConfig } from './timing/index.js';
import type { Poll } from './poll.js';
import type { Reading } from './reading.js';
import { resumable } from './resume-point.js';
import type { Checkpoint, Gap, WatchLogEntry } from './watch-signal.js';

/**
 * A decision that `ack` may return or emit. The watch ends, with `error` if that is given. Or it
 * continues from somewhere else, for example from a checkpoint that another process has saved.
 */
export type AckDecision =
  | { readonly watch: 'end'; readonly error?: unknown }
  | { readonly watch: 'resume'; readonly from: string | Checkpoint };

/**
 * What `ack` may return: nothing, an {@link AckDecision}, or something to wait for. A promise or an
 * Observable may give a decision, too. Everything else is data, even a row of an array that looks
 * like a decision.
 */
export type AckResult = AckDecision | Awaitable<AckDecision | NoDecision, NoDecision>;

/** Anything but a decision, so that a misspelt or incomplete one does not compile. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- of an async function that returns nothing
type NoDecision = string | number | boolean | bigint | symbol | null | undefined | void | NotDeciding;
/** Nor a function, which nothing would call. Only functions have this symbol. */
type NotDeciding = object & { readonly watch?: never; readonly [Symbol.hasInstance]?: never };

/**
 * What the service is: how its answers are read, and what it does. All options are optional. A
 * preset of `lobby-rx/services` has them, together with its poll.
 */
export interface ServiceConfig<A> {
  /**
   * Where the index of an answer stands: a path of names, or a function that returns the index.
   * Default: `'watch.index'`.
   */
  readonly indexOf?: string | ((answer: A) => string | number | null | undefined);
  /**
   * What an answer means: its index, whether it has no news, and more. Without an `index` in it,
   * `indexOf` says where that stands. Default: each answer has news.
   *
   * @example
   * watch(poll, { read: ({ items, next }) => ({ index: next, isEmpty: items.length === 0 }) });
   */
  readonly read?: (answer: A) => Reading;
  /**
   * Whether each answer is the whole state, like the members of a group. Then an answer that
   * differs from the last one only in its index is a repeat, and no news. Default false: the
   * answers are a log, in which an event may equal the one before. There, a repeat has the same
   * index, too. A state with an `indexOf` function needs the `key` of `read`.
   */
  readonly isState?: boolean;
  /**
   * Whether one index is older than another. If the index of an answer is older than the one
   * before, there is a gap. Default: decimal indexes are compared as numbers, others have no order.
   */
  readonly isOlder?: (index: string, than: string) => boolean;
  /**
   * Whether the service gives the same answer again if it is asked again with the same index.
   * Default true. Set `false` for sessions of Bayeux or engine.io, or for a queue that is popped.
   * Then each answer that is not empty is news, and each poll with an index that fails or is
   * aborted before its answer is a gap (`unanswered`).
   */
  readonly redelivers?: boolean;
  /**
   * How long the service keeps events, in ms. An index may be used for 99 % of that time. After
   * that, there is a gap. Default `Infinity`; for a client's watches 300,000.
   */
  readonly retention?: number;
  /**
   * How long the body of an answer may take to begin once the poll has been sent, in ms. After
   * that, the poll is aborted and sent again. Default 70,000. The service blocks for 40–60 s. If
   * the poll does not report when the body begins, the whole answer has to arrive in time.
   */
  readonly timeout?: number;
  /**
   * Whether an error says that the service no longer knows the index: it is forgotten, or its
   * session or log has gone. Then the index is dropped, with a gap (`index_rejected`). `recovery`
   * decides about all other errors. Default: none.
   */
  readonly isGone?: (error: unknown) => boolean;
  /**
   * Decides what a failed poll means. Default: `recovery`, which knows this library's errors and
   * retries after others.
   */
  readonly recovery?: (error: unknown) => Recovery;
}

/** The options of a watch. All are optional. Those of the service are in {@link ServiceConfig}. */
export interface WatchConfig<A> extends ServiceConfig<A> {
  /**
   * Where to resume: an index or a checkpoint. The age of a checkpoint tells whether events may
   * have been missed. Each poll is sent from here until the first answer has been acknowledged.
   * Default: from now.
   */
  readonly from?: string | Checkpoint | null | undefined;
  /**
   * Called after an answer has been delivered. Whatever it returns is waited for before the index
   * advances and the next poll is sent: an Observable, a promise, an array of them, and what is in
   * them. A `Response` that is not ok is a failure. `ack` may also work synchronously and return
   * nothing.
   *
   * Save the `checkpoint` here and pass it as `from` later. Then nothing is lost, even if the
   * process crashes. Do here whatever must not be lost, since the watch does not wait for a
   * subscriber. If a subscriber throws, Node ends the process before `ack` is called, but a browser
   * goes on.
   *
   * `ack` is also called for answers without news, since their index is newer. `gap` is the gap
   * before the answer, or `undefined`. If `ack` fails, the same answer is requested again. It may
   * return or emit an {@link AckDecision}.
   */
  readonly ack?: (answer: A, checkpoint: Checkpoint, gap?: Gap) => AckResult;
  /**
   * Emits when the machine is back (online, visible, awake). A poll that is older than a second, or
   * not on a new connection, is aborted. It is sent again within a second, on a new connection.
   * Many watches take a little longer, so that they do not all ask at once. Until that poll has
   * been sent, further wakes do nothing.
   */
  readonly wake$?: ObservableInput<unknown>;
  /**
   * The minimum interval, in ms, between polls without news that was consumed and acknowledged.
   * Three of them may come without a wait. Default 1,000.
   */
  readonly minInterval?: number;
  /** How long to wait after a failure. See `backoff`. */
  readonly backoff?: BackoffConfig;
  /**
   * Called before each poll. The poll is sent when the returned Observable or promise emits or
   * completes, so many watches can share a rate limit. An array is waited for as a whole. If it
   * fails, the poll has failed, too. If it takes 30 s, the log says `slow`. Default: polls are sent
   * when they are due.
   */
  readonly beforePoll?: () => Awaitable;
  /** Called with what happens to the watch. Errors are swallowed. */
  readonly log?: (entry: WatchLogEntry) => void;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
  /** The random numbers and the monotonic clock of a test. */
  readonly testing?: TestingConfig;
}

/**
 * A service that can be watched: how it is polled, and what it is. The presets of
 * `lobby-rx/services` are such.
 */
export interface PolledService<A> extends ServiceConfig<A> {
  readonly poll: Poll<A>;
}

/** An answer that has its index where the default of {@link WatchConfig.indexOf} looks for it. */
export interface Indexed {
  readonly watch: { readonly index: unknown };
}

/** The config of a watch whose answers have their index elsewhere. */
export type IndexingConfig<A> = WatchConfig<A> &
  (Required<Pick<ServiceConfig<A>, 'indexOf'>> | Required<Pick<ServiceConfig<A>, 'read'>>);

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
  retention,
  // Checked by `backoffSettings`.
  backoff: plainObject,
  beforePoll: aFunction,
  indexOf: PATH_OR_FUNCTION,
  isOlder: aFunction,
  read: aFunction,
  isState: aBoolean,
  redelivers: aBoolean,
  isGone: aFunction,
  recovery: aFunction,
  log: aFunction,
  scheduler: schedulerLike,
  testing: plainObject,
};
