import { Observable, type SchedulerLike, type Subscription, type TimestampProvider } from 'rxjs';
import { monotonicClock } from '../../../stream/index.js';
import { LATE_MS, latenessOf } from './lateness.js';

/** So few at least begin at a time: together they keep a busy process for a few ms. */
const LEAST = 8;

/**
 * Lets so many watches begin at a time, and each further one when the first request of another is
 * on the wire. A worker that can, begins thousands in seconds. While its timers are late, it halves
 * how many: otherwise it would tell too late that it is alive, others would take its shards, and be
 * late themselves. While they are in time, it raises that again. It never stops: timers are late
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
  #atOnce: number;

  constructor(max: number, scheduler: SchedulerLike, clock = monotonicClock(scheduler)) {
    this.#max = max;
    this.#atOnce = max;
    this.#scheduler = scheduler;
    this.#clock = clock;
  }

  /** How many wait, and how long the first of them has, in ms. */
  get late(): { readonly waiting: number; readonly wait: number } {
    const now = this.#clock.now();
    const [first = now] = this.#waiting.values();
    return { waiting: this.#waiting.size, wait: now - first };
  }

  /**
   * Begins a watch when it is its turn. `watch` gets a function that says that its first request is
   * on the wire, or may have to wait for long.
   */
  turn<T>(watch: (sent: () => void) => Observable<T>): Observable<T> {
    return new Observable(subscriber => {
      let isUnderWay = false;
      const sent = () => {
        if (!isUnderWay) return;
        isUnderWay = false;
        this.#underWay--;
        this.#beginNext();
      };
      const begin = () => {
        isUnderWay = true;
        subscriber.add(watch(sent).subscribe(subscriber));
      };
      this.#waiting.set(begin, this.#clock.now());
      subscriber.add(() => {
        this.#waiting.delete(begin);
        sent();
      });
      this.#beginNext();
      this.#look();
    });
  }

  #beginNext(): void {
    for (const begin of this.#waiting.keys()) {
      if (this.#underWay >= this.#atOnce) return;
      this.#waiting.delete(begin);
      this.#underWay++;
      begin();
    }
  }

  /** Looks whether this process is late, as long as watches wait. */
  #look(): void {
    this.#looking ??= latenessOf(this.#scheduler, this.#clock).subscribe(late => {
      const next = late > LATE_MS ? Math.max(LEAST, this.#atOnce >> 1) : this.#atOnce + LEAST;
      this.#atOnce = Math.min(this.#max, next);
      this.#beginNext();
      if (this.#waiting.size > 0) return;
      this.#looking?.unsubscribe();
      this.#looking = undefined;
    });
  }
}
