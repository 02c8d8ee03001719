import type { ObservableInput, SchedulerLike } from 'rxjs';
import type { LogEntry } from '../protocol/index.js';
import type { BackoffConfig } from './backoff-config.js';
import type { Checkpoint } from './checkpoint.js';
import type { Verdict } from '../protocol/index.js';
import type { WatchMemory } from './watch-memory.js';

/** How a watch goes about its polls. Everything is optional. */
export interface WatchConfig<A> {
  /** Where to go on from: an index, or a checkpoint, whose age tells whether something was missed. Default: from now. */
  readonly from?: string | Checkpoint | null | undefined;
  /**
   * Runs after an answer was delivered; the next poll starts, and the index moves, only when it has completed. Save the
   * `checkpoint` in it, to be given back as `from`, and nothing is lost, however the process ends. It runs for answers too
   * that bring nothing, since their index is newer. It may do its work at once and return nothing. Where it fails, the same
   * answer is asked for again.
   */
  readonly ack?:
    | ((answer: A, checkpoint: Checkpoint) => ObservableInput<unknown>)
    | ((answer: A, checkpoint: Checkpoint) => void);
  /** Emits when the machine is back (online, visible, awake): what hangs is aborted, and polled anew within a second. */
  readonly wake$?: ObservableInput<unknown>;
  /** How long a poll may take, in ms; then it is aborted and sent anew. Default 70,000, above the service's 40–60 s. */
  readonly deadline?: number;
  /** Polls that bring nothing are this far apart, in ms, after a `burst`. Default 1,000. */
  readonly minInterval?: number;
  /** How many polls that bring nothing may follow each other at once. Default 3. */
  readonly burst?: number;
  /** How long the service keeps what happened, in ms; a longer silence is a gap. Default 300,000. */
  readonly retention?: number;
  /** How long to wait after a failure. */
  readonly backoff?: BackoffConfig;
  /** The index of an answer. Default: its `watch.index`. */
  readonly indexOf?: (answer: A) => string | number | null | undefined;
  /** Whether an answer brings nothing. Default: none does. */
  readonly isIdle?: (answer: A) => boolean;
  /** Whether an answer only repeats the one before it. Default: all but its `watch` is equal. */
  readonly isRepeat?: (answer: A, previous: A) => boolean;
  /** Makes the memory of each subscription, to leave out what was delivered before. Default: nothing is left out. */
  readonly memory?: () => WatchMemory<A>;
  /** What a failed poll means. Default: `judge`, which knows the errors of this library, and tries again at any other. */
  readonly judge?: (error: unknown) => Verdict;
  /** Is told of each turn of the loop and of each gap; what it throws is ignored. */
  readonly log?: (entry: LogEntry) => void;
  /** A number from 0 up to 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** What time is read from. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}
