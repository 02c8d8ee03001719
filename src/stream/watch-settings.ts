import { asyncScheduler, EMPTY, NEVER, type ObservableInput, type SchedulerLike } from 'rxjs';
import {
  checkArgument,
  cursorArgument,
  milliseconds,
  positiveInteger,
  quietly,
  type LogEntry,
} from '../protocol/index.js';
import type { BackoffConfig } from './backoff-config.js';
import { backoffSettings } from './backoff-settings.js';
import type { Checkpoint } from './checkpoint.js';
import { sameJson } from './same-json.js';
import type { Verdict } from './verdict.js';
import type { WatchConfig } from './watch-config.js';
import type { WatchMemory } from './watch-memory.js';

/** A {@link WatchConfig} with nothing left open. */
export interface WatchSettings<A> {
  readonly from: { readonly index: string; readonly at: number | undefined } | undefined;
  readonly ack: (answer: A) => ObservableInput<unknown>;
  readonly wake$: ObservableInput<unknown>;
  readonly deadline: number;
  readonly minInterval: number;
  readonly burst: number;
  readonly retention: number;
  readonly backoff: Required<BackoffConfig>;
  readonly indexOf: (answer: A) => string | undefined;
  readonly isIdle: (answer: A) => boolean;
  readonly isRepeat: (answer: A, previous: A) => boolean;
  readonly memory: () => WatchMemory<A>;
  readonly judge: (error: unknown) => Verdict;
  readonly log: (entry: LogEntry) => void;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
}

/** Fills in the defaults; throws an `InputError` where a value cannot be meant. */
export function watchSettings<A>(config: WatchConfig<A>): WatchSettings<A> {
  const { from, indexOf = watchIndexOf } = config;
  const { deadline = 70_000, minInterval = 1_000, burst = 3, retention = 300_000 } = config;
  for (const [name, value] of Object.entries({ deadline, minInterval, retention })) {
    checkArgument(name, milliseconds, value);
  }
  return {
    from: from === undefined ? undefined : resolveFrom(from),
    ack: config.ack ?? (() => EMPTY),
    wake$: config.wake$ ?? NEVER,
    deadline,
    minInterval,
    burst: checkArgument('burst', positiveInteger, burst),
    retention,
    backoff: backoffSettings(config.backoff ?? {}),
    // Never an empty index: the service fails at one.
    indexOf: answer => {
      const index = indexOf(answer);
      return index === '' || index === null ? undefined : index;
    },
    isIdle: config.isIdle ?? (() => false),
    isRepeat: config.isRepeat ?? sameButForWatch,
    memory: config.memory ?? (() => ({ trim: answer => answer, add: () => undefined })),
    judge: config.judge ?? (() => ({ kind: 'retry' })),
    log: quietly(config.log),
    random: config.random ?? Math.random,
    scheduler: config.scheduler ?? asyncScheduler,
  };
}

function resolveFrom(from: string | Checkpoint) {
  const { index, at } = typeof from === 'string' ? { index: from, at: undefined } : from;
  return { index: checkArgument('from', cursorArgument, index), at };
}

function watchIndexOf(answer: unknown): string | undefined {
  return (answer as { watch?: { index?: string } | null } | null)?.watch?.index;
}

function sameButForWatch(answer: unknown, previous: unknown): boolean {
  return sameJson({ ...Object(answer), watch: 0 }, { ...Object(previous), watch: 0 });
}
