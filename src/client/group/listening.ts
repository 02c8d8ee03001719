import { defer, finalize, type SchedulerLike } from 'rxjs';
import { connecting, type WatchConfig, type WatchSettings, type WatchStatus } from '../../stream/index.js';

/** After these a change may have been missed: the poll was cut off, failed, was sent again, or a cache answered it. */
const UNHEARD: readonly string[] = ['cut', 'failed', 'asked', 'woke', 'echo'];

/** Whether the service would have told of a change: only then its silence says that there was none. */
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

  /** Stays the same number while a poll is open, or due within its pace, and brings nothing. Undefined while a change would not be heard of. */
  get undisturbed(): number | undefined {
    const { state, nextTry = -Infinity } = this.status;
    const isWaiting = this.#waitsForPermit || nextTry > this.#scheduler.now();
    return state === 'live' && !isWaiting ? this.#disturbances : undefined;
  }

  /** The options of the watch, so that it tells of what is not heard. */
  options({ log, permit }: WatchSettings<never>): WatchConfig<unknown> {
    return {
      log: entry => {
        if (entry.kind === 'turn' && UNHEARD.includes(entry.why)) this.disturb();
        log(entry);
      },
      ...(permit && { permit: () => this.#waitFor(permit) }),
    };
  }

  #waitFor(permit: NonNullable<WatchConfig<unknown>['permit']>) {
    return defer(() => {
      this.#waitsForPermit = true;
      return permit();
    }).pipe(
      finalize(() => {
        this.#waitsForPermit = false;
        this.disturb();
      }),
    );
  }
}
