import { defer, finalize, type SchedulerLike } from 'rxjs';
import { connecting, type PollEnd, type WatchConfig, type WatchStatus } from '../../stream/index.js';

/**
 * After these ends of a poll, a change may have been missed: the poll was cut off, failed, or was
 * sent again, or a cache answered it.
 */
const UNHEARD: readonly PollEnd[] = ['cut', 'failed', 'retry_after', 'woken', 'stale'];

/**
 * Tracks whether a change would have been reported. Only then does silence mean that nothing
 * changed.
 */
export class Listening {
  /** The last status of the watch. */
  status: WatchStatus;
  readonly #scheduler: SchedulerLike;
  #disturbances = 0;
  #waitsForBeforePoll = false;

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
    this.status = connecting(scheduler.now());
  }

  /** Something has changed, or may have changed unheard. */
  disturb(): void {
    this.#disturbances++;
  }

  onStatus(status: WatchStatus): void {
    this.status = status;
    this.disturb();
  }

  /**
   * A number that stays the same while a poll is open, or due within its pace, and brings nothing.
   * `undefined` while a change would not be heard of.
   */
  get undisturbed(): number | undefined {
    const { state, nextTry = -Infinity } = this.status;
    const isWaiting = this.#waitsForBeforePoll || nextTry > this.#scheduler.now();
    return state === 'live' && !isWaiting ? this.#disturbances : undefined;
  }

  onPollEnd(why: PollEnd): void {
    if (UNHEARD.includes(why)) this.disturb();
  }

  /** Waits for `beforePoll`. Until then, nothing is heard. */
  waitFor(beforePoll: NonNullable<WatchConfig<unknown>['beforePoll']>) {
    return defer(() => {
      this.#waitsForBeforePoll = true;
      return beforePoll();
    }).pipe(
      finalize(() => {
        this.#waitsForBeforePoll = false;
        this.disturb();
      }),
    );
  }
}
