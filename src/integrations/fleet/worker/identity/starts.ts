import { Observable, tap, type SchedulerLike, type Subscription, type TimestampProvider } from 'rxjs';
import { monotonicClock } from '../../../../stream/index.js';
import type { IdentityEvent } from './identity-status.js';
import { LATE_MS, latenessOf } from '../lateness.js';

/** At least this many begin at a time: together they keep a busy process for a few ms. */
const MIN_STARTS = 8;

/**
 * Bounds how many watches begin at a time. Each further one begins when another has sent its first
 * poll, or may have to wait for long: for the rate limit, for a token, or for NATS.
 *
 * A worker that can, begins thousands in seconds. While its timers are late, the bound is halved:
 * otherwise it would tell too late that it is alive, others would take its shards, and be late
 * themselves. While they are in time, the bound is raised again. It never stops: timers are late
 * for other reasons, too, such as a limit of CPU.
 */
export class Starts {
  readonly #max: number;
  /** Those that wait, in the order in which they were asked for, and when that was. */
  readonly #waiting = new Map<() => void, number>();
  readonly #scheduler: SchedulerLike;
  readonly #clock: TimestampProvider;
  #underWay = 0;
  #looking: Subscription | undefined;
  /** How many may be under way. */
  #bound: number;

  constructor(max: number, scheduler: SchedulerLike, clock = monotonicClock(scheduler)) {
    this.#max = max;
    this.#bound = max;
    this.#scheduler = scheduler;
    this.#clock = clock;
  }

  /** How many wait, and how long the first of them has, in ms. */
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

  /** Looks whether this process is late, as long as watches wait. */
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
