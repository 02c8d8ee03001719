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
 * Asks a service once, from an index or, without one, from now. It is cold: subscribing asks, the first value is the
 * answer, completing without one means that there is nothing new, unsubscribing aborts.
 */
export type Poll<A> = (index: string | undefined) => ObservableInput<A>;

/** How a watch polls. Everything is optional. */
export interface WatchConfig<A> {
  /** Where to go on from: an index, or a checkpoint, whose age tells whether something was missed. Default: from now. */
  readonly from?: string | Checkpoint | null | undefined;
  /**
   * Called after an answer was delivered. The next poll is sent, and the index moves, only when what it returns has completed;
   * it may also do its work at once and return nothing. Save the `checkpoint` in it, to be given back as `from`, and nothing is
   * lost, however the process ends. It is called for answers without news, too, since their index is newer. If it fails, the
   * same answer is asked for again.
   */
  readonly ack?:
    | ((answer: A, checkpoint: Checkpoint) => ObservableInput<unknown>)
    | ((answer: A, checkpoint: Checkpoint) => void);
  /** Emits when the machine is back (online, visible, awake): a hanging poll is aborted, and sent again within a second. */
  readonly wake$?: ObservableInput<unknown>;
  /** How long a poll may take, in ms. Then it is aborted and sent again. Default 70,000, above the service's 40–60 s. */
  readonly deadline?: number;
  /** How far apart polls without news are, in ms, after a `burst`. Default 1,000. */
  readonly minInterval?: number;
  /** How many polls without news may follow each other at once. Default 3. */
  readonly burst?: number;
  /** How long the service keeps what happened, in ms. A longer silence is a gap. Default 300,000. */
  readonly retention?: number;
  /** How long to wait after a failure. */
  readonly backoff?: BackoffConfig;
  /** The index of an answer. Default: its `watch.index`. */
  readonly indexOf?: (answer: A) => string | number | null | undefined;
  /** Whether an answer has no news. Default: each has. */
  readonly isIdle?: (answer: A) => boolean;
  /** Whether an answer only repeats the one before it. Default: everything but its `watch` is equal. */
  readonly isRepeat?: (answer: A, previous: A) => boolean;
  /** What a failed poll means. Default: `recovery`, which knows this library's errors, and retries after any other. */
  readonly recovery?: (error: unknown) => Recovery;
  /** Called with each turn of the loop and each gap. Errors are swallowed. */
  readonly log?: (entry: WatchLogEntry) => void;
  /** A number from 0 up to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const placeToGoOnFrom: Guard<string | Checkpoint | null> = {
  name: 'an index as an answer gave it, or a checkpoint { index, at }; leave it out to begin from now',
  is: (u): u is string | Checkpoint | null => {
    if (u === null || isIndex(u)) return true;
    return plainObject.is(u) && isIndex(u.index) && (u.at === undefined || Number.isFinite(u.at));
  },
};

/** An empty one is what the checkpoint of an answer without an index has. */
const isIndex = (u: unknown) => u === '' || cursorArgument.is(u);

/** What the options of {@link WatchConfig} must be. */
export const WATCH_OPTIONS: Options<WatchConfig<never>> = {
  from: placeToGoOnFrom,
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

/** A {@link WatchConfig} with nothing left open. */
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

/** Without an index there is nothing to go on from, and that is a gap. */
function resolveFrom(from: WatchConfig<never>['from']): WatchSettings<never>['from'] {
  if (from == null) return undefined;
  const { index, at } = typeof from === 'object' ? from : { index: from, at: undefined };
  return { index: index === '' ? undefined : index, at };
}
