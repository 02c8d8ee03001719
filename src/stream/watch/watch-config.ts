import { asyncScheduler, NEVER, type ObservableInput, type SchedulerLike } from 'rxjs';
import {
  aFunction,
  checkArgument,
  cursorArgument,
  guarded,
  milliseconds,
  positiveInteger,
  recovery,
  rejectUnknownKeys,
  type Recovery,
} from '../../error/index.js';
import { backoffSettings, type BackoffConfig } from '../backoff.js';
import { jsonEqual } from '../json-equal.js';
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

const OPTIONS: Readonly<Record<keyof WatchConfig<never>, true>> = {
  ...{ from: true, ack: true, wake$: true, deadline: true, minInterval: true, burst: true, retention: true },
  ...{ backoff: true, indexOf: true, isIdle: true, isRepeat: true, recovery: true, log: true },
  ...{ random: true, scheduler: true },
};

/** The part of the settings that decides what an outcome means. */
export interface WatchLaws<A> {
  readonly minInterval: number;
  readonly burst: number;
  readonly retention: number;
  readonly backoff: Required<BackoffConfig>;
  readonly indexOf: (answer: A) => string | number | null | undefined;
  readonly isIdle: (answer: A) => boolean;
  readonly isRepeat: (answer: A, previous: A) => boolean;
  readonly recovery: (error: unknown) => Recovery;
}

/** A {@link WatchConfig} with nothing left open. */
export interface WatchSettings<A> extends WatchLaws<A> {
  readonly from: { readonly index: string | undefined; readonly at: number | undefined } | undefined;
  readonly ack: (answer: A, checkpoint: Checkpoint) => ObservableInput<unknown>;
  readonly wake$: ObservableInput<unknown>;
  readonly deadline: number;
  readonly log: (entry: WatchLogEntry) => void;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
}

/** Fills in the defaults. Throws an `InputError` if an option is unknown or invalid. */
export function watchSettings<A>(config: WatchConfig<A>): WatchSettings<A> {
  rejectUnknownKeys(config, Object.keys(OPTIONS));
  const { from, wake$ = NEVER } = config;
  const { deadline = 70_000, minInterval = 1_000, burst = 3, retention = 300_000 } = config;
  for (const [name, value] of Object.entries({ deadline, minInterval, retention })) {
    checkArgument(name, milliseconds, value);
  }
  for (const name of ['ack', 'indexOf', 'isIdle', 'isRepeat', 'recovery', 'log', 'random'] as const) {
    if (config[name] !== undefined) checkArgument(name, aFunction, config[name]);
  }
  return {
    from: from == null ? undefined : resolveFrom(from),
    ack: (answer, checkpoint) => toInput(config.ack?.(answer, checkpoint)),
    wake$: checkArgument('wake$', observableInput, wake$),
    deadline,
    minInterval,
    burst: checkArgument('burst', positiveInteger, burst),
    retention,
    backoff: backoffSettings(config.backoff),
    indexOf: config.indexOf ?? watchIndexOf,
    isIdle: config.isIdle ?? (() => false),
    isRepeat: config.isRepeat ?? isEqualButForWatch,
    recovery: config.recovery ?? recovery,
    log: guarded(config.log),
    random: config.random ?? Math.random,
    scheduler: config.scheduler ?? asyncScheduler,
  };
}

/** An empty index is what a checkpoint of an answer without one has: there is nothing to go on from, and that is a gap. */
function resolveFrom(from: string | Checkpoint): WatchSettings<never>['from'] {
  const { index, at } = typeof from === 'object' ? from : { index: from, at: undefined };
  return { index: index === '' ? undefined : checkArgument('from', cursorArgument, index), at };
}

function watchIndexOf(answer: unknown): string | number | undefined {
  return (answer as { watch?: { index?: string | number } | null } | null)?.watch?.index;
}

function isEqualButForWatch(answer: unknown, previous: unknown): boolean {
  return jsonEqual({ ...Object(answer), watch: 0 }, { ...Object(previous), watch: 0 });
}
