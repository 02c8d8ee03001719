import { Observable, tap, type SchedulerLike, type Subscription, type TimestampProvider } from 'rxjs';
import { monotonicClock } from '../../../../stream/index.js';
import type { IdentityEvent } from './identity-status.js';
import { LATE_MS, latenessOf } from '../lateness.js';

/** At least this many may begin at a time. Together they keep a process busy for a few ms. */
const MIN_STARTS = 8;

/**
 * Limits how many watches begin at a time. The next one begins when another has sent its first
 * poll. It also begins when another may have to wait long, for the rate limit, for a token or for
 * NATS.
 *
 * A fast worker begins thousands of watches in seconds. Each time that its timers are late, the
 * bound is halved. Otherwise the worker would report too late that it is alive. Others would take
 * its shards, and would be late themselves. While the timers are in time, the bound is raised
 * again. The bound never becomes 0, because timers are also late for other reasons, such as a limit
 * of CPU.
 */
export class Starts {
  readonly #max: number;
  /**
   * The functions that begin the waiting watches, oldest first, each with the time when it was
   * added.
   */
  readonly #waiting = new Map<() => void, number>();
  readonly #scheduler: SchedulerLike;
  readonly #clock: TimestampProvider;
  #underWay = 0;
  #looking: Subscription | undefined;
  /** How many watches may be beginning at the same time. */
  #bound: number;

  constructor(max: number, scheduler: SchedulerLike, clock = monotonicClock(scheduler)) {
    this.#max = max;
    this.#bound = max;
    this.#scheduler = scheduler;
    this.#clock = clock;
  }

  /** How many watches wait, and how long the first of them has waited, in ms. */
  get late(): { readonly waiting: number; readonly wait: number } {
    const now = this.#clock.now();
    const [first = now] = this.#waiting.values();
    return { waiting: this.#waiting.size, wait: now - first };
  }

  /** Begins a watch when it is its turn. */
  turn(watch$: Observable<IdentityEvent>): Observable<IdentityEvent> {
    return new Observable(subscriber => {
      let isUnderWay = false;
      const end = () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        this.#underWay--;
        this.#beginNext();
      };
      const begun$ = watch$.pipe(
        tap(event => {
          if (event.kind !== 'status' || event.status.state !== 'connecting') end();
        }),
      );
      const begin = () => {
        isUnderWay = true;
        subscriber.add(begun$.subscribe(subscriber));
      };
      this.#waiting.set(begin, this.#clock.now());
      subscriber.add(() => {
        this.#waiting.delete(begin);
        end();
      });
      this.#beginNext();
      this.#look();
    });
  }

  #beginNext(): void {
    for (const begin of this.#waiting.keys()) {
      if (this.#underWay >= this.#bound) return;
      this.#waiting.delete(begin);
      this.#underWay++;
      begin();
    }
  }

  /** Measures whether this process is late, as long as watches wait. */
  #look(): void {
    this.#looking ??= latenessOf(this.#scheduler, this.#clock).subscribe(late => {
      const next = late > LATE_MS ? Math.max(MIN_STARTS, this.#bound >> 1) : this.#bound + MIN_STARTS;
      this.#bound = Math.min(this.#max, next);
      this.#beginNext();
      if (this.#waiting.size > 0) return;
      this.#looking?.unsubscribe();
      this.#looking = undefined;
    });
  }
}
