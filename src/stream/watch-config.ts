import { asyncScheduler, NEVER, type Observable, type ObservableInput, type SchedulerLike } from 'rxjs';
import {
  aFunction,
  checkArgument,
  checkOptions,
  definedOptions,
  guarded,
  milliseconds,
  nonEmptyString,
  observableInput,
  plainObject,
  positiveInteger,
  recovery,
  schedulerLike,
  toInput,
  type Guard,
  type Options,
  type Recovery,
} from '../error/index.js';
import { jsonHash } from '../protocol/index.js';
import { backoffSettings, type BackoffConfig } from './backoff.js';
import { monotonicClock, TESTING_OPTIONS, type Clocks, type TestingConfig } from './clocks.js';
import type { KeptPaces } from './kept-paces.js';
import type { Checkpoint, Gap, PollEnd, WatchLogEntry } from './watch-signal.js';

/**
 * What `ack` may decide, by emitting it: the watch ends, with this error if there is one, or it continues from somewhere else,
 * for example from a checkpoint that another process has saved.
 */
export type AckDecision =
  | { readonly watch: 'end'; readonly error?: unknown }
  | { readonly watch: 'resume'; readonly from: string | Checkpoint };

/** What `ack` may return: anything to wait for, or nothing. What it emits is ignored, unless it is an {@link AckDecision}. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a function that returns nothing
export type AckResult = ObservableInput<AckDecision | NoDecision> | void;

/** Anything but a decision, so that a misspelt or incomplete one does not compile. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- of an async function that returns nothing
type NoDecision = string | number | boolean | bigint | symbol | null | undefined | void | NotDeciding;
type NotDeciding = object & { readonly watch?: never };

/** The options of a watch. All are optional. */
export interface WatchConfig<A> {
  /**
   * Where to resume: an index, or a checkpoint, whose age tells whether events may have been missed. It counts until the first
   * answer has been acknowledged. Default: from now.
   */
  readonly from?: string | Checkpoint | null | undefined;
  /**
   * Called after an answer has been delivered. The index advances, and the next poll is sent, only after the returned
   * Observable or promise has completed; `ack` may also work synchronously and return nothing. Save the `checkpoint` here and
   * pass it as `from` later: then nothing is lost, even if the process crashes. What must not be lost has to be done here: a
   * subscriber is not waited for, and if it throws, Node ends the process before `ack` is called, but a browser goes on.
   *
   * It is also called for answers without news, since their index is newer. `gap` is the gap before the answer, if there is
   * one. If it fails, the same answer is requested again. It may emit an {@link AckDecision}.
   */
  readonly ack?: (answer: A, checkpoint: Checkpoint, gap?: Gap) => AckResult;
  /**
   * Emits when the machine is back (online, visible, awake). A poll that is older than a second or not on a new connection is
   * aborted, and sent again within a second, on a new one; many watches take a little longer, so that they do not all ask at
   * once. Until that poll has been sent, further wakes do nothing.
   */
  readonly wake$?: ObservableInput<unknown>;
  /**
   * How long the body of an answer may take to begin, in ms, until the poll is aborted and sent again. Default 70,000; the
   * service blocks for 40–60 s. If the poll does not report when it begins, the whole answer has to arrive in time.
   */
  readonly timeout?: number;
  /** The minimum interval between polls without news that was taken and acknowledged, in ms, after a `burst`. Default 1,000. */
  readonly minInterval?: number;
  /** How many polls without news may be sent without waiting. Default 3. */
  readonly burst?: number;
  /**
   * How long the service keeps events, in ms. An index may be used for 99 % of it; then there is a gap. Default `Infinity`; for a client's
   * watches 300,000.
   */
  readonly retention?: number;
  /** How long to wait after a failure; see `backoff`. */
  readonly backoff?: BackoffConfig;
  /**
   * Called before each poll, which is sent when the returned Observable or promise emits or completes: many watches can share a
   * rate limit. If it fails, so has the poll. Default: polls are sent when they are due.
   */
  readonly beforePoll?: () => ObservableInput<unknown>;
  /** Where the index of an answer stands, as a path of names; or a function that returns it. Default: `'watch.index'`. */
  readonly indexOf?: string | ((answer: A) => string | number | null | undefined);
  /** Whether an answer contains no news. Default: never. */
  readonly isEmpty?: (answer: A) => boolean;
  /**
   * Returns a key of an answer. If it equals the key of the last answer with news, the answer is a repeat, and no news. Default: a hash
   * of its JSON except for where its index stands, or of all of it if `indexOf` is a function; of its text, if a client has requested it.
   */
  readonly keyOf?: (answer: A) => unknown;
  /** Decides what a failed poll means. Default: `recovery`, which knows this library's errors and retries after others. */
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

/** What the index of a watch has to be, besides a string that is not empty: a URL takes no string of any length. */
type IndexGuard = (text: string) => boolean;

/** Where to resume. An empty index is valid: the checkpoint of an answer without an index has one. */
const resumable = (isIndex: IndexGuard = () => true): Guard<string | Checkpoint | null> => {
  const is = (u: unknown) => typeof u === 'string' && (u === '' || isIndex(u));
  return {
    name: 'the index of an answer, or a checkpoint { index, at }; omit it to start from now',
    is: (u): u is string | Checkpoint | null => {
      if (u === null || is(u)) return true;
      return plainObject.is(u) && is(u.index) && (u.at === undefined || Number.isFinite(u.at));
    },
  };
};

const retention: Guard<number> = {
  name: 'a number of milliseconds, at least 0, or Infinity',
  is: (u): u is number => typeof u === 'number' && u >= 0,
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
  indexOf: {
    name: "a path such as 'watch.index', or a function",
    is: u => aFunction.is(u) || nonEmptyString.is(u),
  },
  isEmpty: aFunction,
  keyOf: aFunction,
  recovery: aFunction,
  log: aFunction,
  scheduler: schedulerLike,
  testing: plainObject,
};

type Defaulted = 'wake$' | 'timeout' | 'minInterval' | 'burst' | 'retention' | 'isEmpty' | 'recovery';

/** A {@link WatchConfig} with its defaults filled in. */
export interface WatchSettings<A> extends Required<Pick<WatchConfig<A>, Defaulted>>, Clocks {
  readonly from: ResumePoint | undefined;
  /** Undefined if there is nothing to wait for. */
  readonly ack: ((answer: A, checkpoint: Checkpoint, gap?: Gap) => ObservableInput<unknown>) | undefined;
  readonly backoff: Required<BackoffConfig>;
  readonly random: () => number;
  readonly beforePoll: (() => ObservableInput<unknown>) | undefined;
  readonly indexOf: (answer: A) => unknown;
  readonly keyOf: (answer: A, text: string | undefined) => unknown;
  /** What is acknowledged of an answer that only repeats the last one. */
  readonly withoutNews: (answer: A) => A;
  readonly log: (entry: WatchLogEntry) => void;
  /** Called when a poll is over, for those who make something of the watch: `log` is the user's. */
  readonly onPollEnd?: (why: PollEnd) => void;
  /** Whether an index can be sent. */
  readonly isIndex: IndexGuard;
  /** Completes when a poll may be sent; emits how long it has to wait, in ms, if it does. Absent if there is no quota. */
  readonly quota?: () => Observable<number>;
  /** Keeps the pace of this watch for the next one of the same, which it gives to it. */
  readonly kept?: { readonly paces: KeptPaces; readonly key: string };
  /** Whether the next subscriber of a feed that has had none for a while gets what has happened since. */
  readonly resume: boolean;
}

/** What an endpoint says about its answers. */
export type AnswerSettings<A> = Partial<
  Pick<WatchSettings<A>, 'isEmpty' | 'keyOf' | 'withoutNews' | 'isIndex' | 'quota' | 'onPollEnd' | 'kept'>
>;

/** Fills in the defaults, some of which may be an endpoint's. Throws an `InputError` if an option is unknown or invalid. */
export function watchSettings<A>(config: WatchConfig<A>, defaults?: AnswerSettings<A>): WatchSettings<A> {
  checkOptions<WatchConfig<never>>(config, WATCH_OPTIONS);
  const {
    from,
    ack,
    beforePoll,
    backoff,
    log,
    testing,
    scheduler = asyncScheduler,
    indexOf = 'watch.index',
    ...options
  } = definedOptions(config);
  checkOptions(testing, TESTING_OPTIONS, 'testing');
  const path = typeof indexOf === 'function' ? undefined : indexOf.split('.');
  return {
    from: from == null ? undefined : resumePoint(from, defaults?.isIndex),
    ack: ack && ((answer, checkpoint, gap) => toInput(ack(answer, checkpoint, gap))),
    beforePoll,
    scheduler,
    backoff: backoffSettings(backoff),
    log: guarded(log),
    wake$: NEVER,
    timeout: 70_000,
    minInterval: 1_000,
    burst: 3,
    retention: Infinity,
    isEmpty: () => false,
    isIndex: () => true,
    // The index may change although the data has not.
    keyOf: answer => jsonHash(answer, path),
    withoutNews: answer => answer,
    recovery,
    random: Math.random,
    monotonic: monotonicClock(scheduler),
    ...definedOptions(testing),
    resume: true,
    ...definedOptions(defaults),
    ...options,
    indexOf: typeof indexOf === 'function' ? indexOf : answer => fieldAt(answer, path!),
  };
}

const fieldAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part, name) => (Object(part) as Record<string, unknown>)[name], value);

/** Where a watch resumes. Without an index it cannot, which counts as a gap. */
export interface ResumePoint {
  readonly index: string | undefined;
  readonly at: number | undefined;
}

/** Checks where to resume. Throws an `InputError` if it is neither an index nor a checkpoint. */
export function resumePoint(from: string | Checkpoint, isIndex?: IndexGuard): ResumePoint {
  checkArgument('from', resumable(isIndex), from);
  const { index, at } = typeof from === 'object' ? from : { index: from, at: undefined };
  return { index: index === '' ? undefined : index, at };
}
