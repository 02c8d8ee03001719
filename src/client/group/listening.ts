import { defer, finalize, type SchedulerLike } from 'rxjs';
import { connecting, type PollEnd, type WatchConfig, type WatchStatus } from '../../stream/index.js';

/**
 * After these a change may have been missed: the poll was cut off, failed, was sent again, or a
 * cache answered it.
 */
const UNHEARD: readonly PollEnd[] = ['cut', 'failed', 'retry_after', 'woken', 'stale'];

/**
 * Whether the service would have told of a change: only then its silence says that there was none.
 */
export class Listening {
  /** The last status of the watch. */
  status: WatchStatus;
  readonly #scheduler: SchedulerLike;
  #disturbances = 0;
  #waitsForPermit = false;

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
   * Stays the same number while a poll is open, or due within its pace, and brings nothing.
   * Undefined while a change would not be heard of.
   */
  get undisturbed(): number | undefined {
    const { state, nextTry = -Infinity } = this.status;
    const isWaiting = this.#waitsForPermit || nextTry > this.#scheduler.now();
    return state === 'live' && !isWaiting ? this.#disturbances : undefined;
  }

  onPollEnd(why: PollEnd): void {
    if (UNHEARD.includes(why)) this.disturb();
  }

  /** Waits for `beforePoll`: meanwhile nothing is heard. */
  waitFor(beforePoll: NonNullable<WatchConfig<unknown>['beforePoll']>) {
    return defer(() => {
      this.#waitsForPermit = true;
      return beforePoll();
    }).pipe(
      finalize(() => {
        this.#waitsForPermit = false;
        this.disturb();
      }),
    );
  }
}
