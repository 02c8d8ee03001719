import type { SchedulerLike } from 'rxjs';
import type { GapReason, WatchSignal, WatchStatus } from './watch-signal.js';

/**
 * An entry of the log of a watch.
 *
 * - `turn`: a poll is over. `why` says how it ended, and `wait` how long the watch waits before the next poll, in ms: there
 *   was `news`; there was news, but so many polls before it that the rate is `limited`; there was `nothing` new, and polls are
 *   spaced out; the poll `failed`, and the watch backs off; the service `asked` for the wait; the machine `woke`; the
 *   consumer's `ack` failed; or the watch `ended`.
 * - `gap`: something may have been missed.
 */
export type WatchLogEntry = {
  /** The time, in ms since 1970. */
  readonly at: number;
  /** The number of the watch in this process, starting at 1. */
  readonly watchId: number;
} & (
  | {
      readonly kind: 'turn';
      readonly why: TurnReason;
      readonly wait: number;
      /** The number of consecutive failed polls. */
      readonly attempt: number;
      readonly error: unknown;
    }
  | { readonly kind: 'gap'; readonly reason: GapReason; readonly index: string | undefined }
);

/** How a poll ended, and why the watch waits before the next one. */
export type TurnReason = 'news' | 'limited' | 'nothing' | 'failed' | 'asked' | 'woke' | 'ack' | 'ended';

/** The number of watches so far in this process. */
let watchCount = 0;

interface LogSettings {
  readonly log: (entry: WatchLogEntry) => void;
  readonly scheduler: SchedulerLike;
}

interface LoggedTurn {
  readonly why: TurnReason;
  readonly state: { readonly status: WatchStatus; readonly rest: { readonly wait: number } };
}

/** The log of one watch. */
export class WatchLog {
  readonly #watchId = ++watchCount;
  readonly #settings: LogSettings;

  constructor(settings: LogSettings) {
    this.#settings = settings;
  }

  signal(signal: WatchSignal<unknown>): void {
    if (signal.kind !== 'gap') return;
    const { reason, index } = signal.gap;
    this.#settings.log({ ...this.#stamp(), kind: 'gap', reason, index });
  }

  turn({ why, state: { status, rest } }: LoggedTurn): void {
    const { attempt, error } = status;
    const wait = why === 'ended' ? 0 : rest.wait;
    this.#settings.log({ ...this.#stamp(), kind: 'turn', why, wait, attempt, error });
  }

  #stamp() {
    return { at: this.#settings.scheduler.now(), watchId: this.#watchId };
  }
}
