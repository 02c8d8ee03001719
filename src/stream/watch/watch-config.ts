import { asyncScheduler, NEVER, type ObservableInput, type SchedulerLike } from 'rxjs';
import {
  aFunction,
  checkOptions,
  cursorArgument,
  guarded,
  milliseconds,
  plainObject,
  positiveInteger,
  recovery,
  schedulerLike,
  type Guard,
  type Options,
  type Recovery,
} from '../../error/index.js';
import { backoffSettings, type BackoffConfig } from '../backoff.js';
import { jsonEqualBut } from '../json-equal.js';
import { observableInput, toInput } from '../to-input.js';
import type { Checkpoint, WatchLogEntry } from './watch-signal.js';

/**
 * Polls a service once, from an index or, without one, from now. Cold: subscribing sends the request, the first value is the
 * answer, completing without a value means that there is nothing new, and unsubscribing aborts.
 */
export type Poll<A> = (index: string | undefined) => ObservableInput<A>;

/** The options of a watch. All are optional. */
export interface WatchConfig<A> {
  /** Where to resume: an index, or a checkpoint, whose age tells whether events may have been missed. Default: from now. */
  readonly from?: string | Checkpoint | null | undefined;
  /**
   * Called after an answer has been delivered. The index advances, and the next poll is sent, only after the returned
   * Observable or promise has completed; `ack` may also work synchronously and return nothing. Save the `checkpoint` here and
   * pass it as `from` later: then nothing is lost, even if the process crashes. It is also called for answers without news,
   * since their index is newer. If it fails, the same answer is requested again.
   */
  readonly ack?:
    | ((answer: A, checkpoint: Checkpoint) => ObservableInput<unknown>)
    | ((answer: A, checkpoint: Checkpoint) => void);
  /** Emits when the machine is back (online, visible, awake). A pending poll is aborted and sent again within a second. */
  readonly wake$?: ObservableInput<unknown>;
  /** How long a poll may take, in ms, until it is aborted and sent again. Default 70,000; the service blocks for 40–60 s. */
  readonly deadline?: number;
  /** The minimum interval between polls without news, in ms, after a `burst`. Default 1,000. */
  readonly minInterval?: number;
  /** How many polls without news may be sent without waiting. Default 3. */
  readonly burst?: number;
  /** How long the service keeps events, in ms. A longer silence is a gap. Default 300,000. */
  readonly retention?: number;
  /** How long to wait after a failure; see `backoff`. */
  readonly backoff?: BackoffConfig;
  /** Returns the index of an answer. Default: its `watch.index`. */
  readonly indexOf?: (answer: A) => string | number | null | undefined;
  /** Whether an answer contains no news. Default: never. */
  readonly isIdle?: (answer: A) => boolean;
  /** Whether an answer only repeats the previous one. Default: whether they are equal except for `watch`. */
  readonly isRepeat?: (answer: A, previous: A) => boolean;
  /** Decides what a failed poll means. Default: `recovery`, which knows this library's errors and retries after others. */
  readonly recovery?: (error: unknown) => Recovery;
  /** Called after each poll and for each gap. Errors are swallowed. */
  readonly log?: (entry: WatchLogEntry) => void;
  /** Returns a random number from 0 to 1, excluding 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const resumePoint: Guard<string | Checkpoint | null> = {
  name: 'the index of an answer, or a checkpoint { index, at }; omit it to start from now',
  is: (u): u is string | Checkpoint | null => {
    if (u === null || isIndex(u)) return true;
    return plainObject.is(u) && isIndex(u.index) && (u.at === undefined || Number.isFinite(u.at));
  },
};

/** An empty index is valid: the checkpoint of an answer without an index has one. */
const isIndex = (u: unknown) => u === '' || cursorArgument.is(u);

/** A check for each option of {@link WatchConfig}. */
export const WATCH_OPTIONS: Options<WatchConfig<never>> = {
  from: resumePoint,
  ack: aFunction,
  wake$: observableInput,
  deadline: milliseconds,
  minInterval: milliseconds,
  burst: positiveInteger,
  retention: milliseconds,
  // Checked by `backoffSettings`.
  backoff: plainObject,
  indexOf: aFunction,
  isIdle: aFunction,
  isRepeat: aFunction,
  recovery: aFunction,
  log: aFunction,
  random: aFunction,
  scheduler: schedulerLike,
};

/** A {@link WatchConfig} with its defaults filled in. */
export interface WatchSettings<A> {
  readonly from: { readonly index: string | undefined; readonly at: number | undefined } | undefined;
  readonly ack: (answer: A, checkpoint: Checkpoint) => ObservableInput<unknown>;
  readonly wake$: ObservableInput<unknown>;
  readonly deadline: number;
  readonly minInterval: number;
  readonly burst: number;
  readonly retention: number;
  readonly backoff: Required<BackoffConfig>;
  readonly indexOf: ((answer: A) => string | number | null | undefined) | undefined;
  readonly isIdle: (answer: A) => boolean;
  readonly isRepeat: (answer: A, previous: A) => boolean;
  readonly recovery: (error: unknown) => Recovery;
  readonly log: (entry: WatchLogEntry) => void;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
}

/** Fills in the defaults. Throws an `InputError` if an option is unknown or invalid. */
export function watchSettings<A>(config: WatchConfig<A>): WatchSettings<A> {
  checkOptions<WatchConfig<never>>(config, WATCH_OPTIONS);
  return {
    from: resolveFrom(config.from),
    ack: (answer, checkpoint) => toInput(config.ack?.(answer, checkpoint)),
    wake$: config.wake$ ?? NEVER,
    deadline: config.deadline ?? 70_000,
    minInterval: config.minInterval ?? 1_000,
    burst: config.burst ?? 3,
    retention: config.retention ?? 300_000,
    backoff: backoffSettings(config.backoff),
    indexOf: config.indexOf,
    isIdle: config.isIdle ?? (() => false),
    isRepeat: config.isRepeat ?? jsonEqualBut('watch'),
    recovery: config.recovery ?? recovery,
    log: guarded(config.log),
    random: config.random ?? Math.random,
    scheduler: config.scheduler ?? asyncScheduler,
  };
}

/** If there is a `from` but no index in it, the watch cannot resume, which counts as a gap. */
function resolveFrom(from: WatchConfig<never>['from']): WatchSettings<never>['from'] {
  if (from == null) return undefined;
  const { index, at } = typeof from === 'object' ? from : { index: from, at: undefined };
  return { index: index === '' ? undefined : index, at };
}
