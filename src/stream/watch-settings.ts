import { asyncScheduler, NEVER, type ObservableInput, type SchedulerLike } from 'rxjs';
import {
  checkArgument,
  cursorArgument,
  milliseconds,
  positiveInteger,
  quietly,
  type LogEntry,
  judge,
} from '../protocol/index.js';
import { awaited } from './awaited.js';
import type { BackoffConfig } from './backoff-config.js';
import { backoffSettings } from './backoff-settings.js';
import type { Checkpoint } from './checkpoint.js';
import { sameJson } from './same-json.js';
import type { Verdict } from '../protocol/index.js';
import type { WatchConfig } from './watch-config.js';
import type { WatchMemory } from './watch-memory.js';

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
    from: from == null ? undefined : resolveFrom(from),
    ack: (answer, checkpoint) => awaited(config.ack?.(answer, checkpoint)),
    wake$: config.wake$ ?? NEVER,
    deadline,
    minInterval,
    burst: checkArgument('burst', positiveInteger, burst),
    retention,
    backoff: backoffSettings(config.backoff ?? {}),
    // Never an empty index: the service fails at one.
    indexOf: answer => {
      const index = indexOf(answer);
      // A text even where a service gives a number: it is sent back as it is, and never counted with.
      return index === '' || index == null ? undefined : String(index);
    },
    isIdle: config.isIdle ?? (() => false),
    isRepeat: config.isRepeat ?? sameButForWatch,
    memory: config.memory ?? (() => ({ trim: answer => answer, add: () => undefined })),
    judge: config.judge ?? judge,
    log: quietly(config.log),
    random: config.random ?? Math.random,
    scheduler: config.scheduler ?? asyncScheduler,
  };
}

/** An empty index is what an answer without one leaves in a file: there is nothing to go on from, and that is a gap. */
function resolveFrom(from: string | Checkpoint): WatchSettings<never>['from'] {
  const { index, at } = typeof from === 'object' ? from : { index: from, at: undefined };
  return { index: index === '' ? undefined : checkArgument('from', cursorArgument, index), at };
}

function watchIndexOf(answer: unknown): string | number | undefined {
  return (answer as { watch?: { index?: string | number } | null } | null)?.watch?.index;
}

function sameButForWatch(answer: unknown, previous: unknown): boolean {
  return sameJson({ ...Object(answer), watch: 0 }, { ...Object(previous), watch: 0 });
}
