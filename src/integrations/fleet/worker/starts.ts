import { Observable, type SchedulerLike, type Subscription, type TimestampProvider } from 'rxjs';
import { monotonicClock } from '../../../stream/index.js';

/** While watches wait, a timer looks so often whether this process is late; by how much it may be; and for how long it has to be in time again, in ms. */
const LOOK_MS = 100;
const LATE_MS = 100;
const CALM_MS = 1_000;

/**
 * Lets so many watches begin at once, and each further one when the first request of another is on the wire. A worker that can, begins thousands
 * in seconds. One whose timers are late begins none: it would tell too late that it is alive, others would take its shards, and be late themselves.
 */
export class Starts {
  readonly #max: number;
  /** Those that wait, in the order in which they were asked for, and when that was. */
  readonly #waiting = new Map<() => void, number>();
  readonly #scheduler: SchedulerLike;
  readonly #clock: TimestampProvider;
  #underWay = 0;
  #looking: Subscription | undefined;
  #lateAt = -Infinity;

  constructor(max: number, scheduler: SchedulerLike, clock = monotonicClock(scheduler)) {
    this.#max = max;
    this.#scheduler = scheduler;
    this.#clock = clock;
  }

  /** How many wait, and how long the first of them has, in ms. */
  get late(): { readonly waiting: number; readonly wait: number } {
    const now = this.#clock.now();
    const [first = now] = this.#waiting.values();
    return { waiting: this.#waiting.size, wait: now - first };
  }

  /** Begins a watch when it is its turn. `watch` gets a function that says that its first request is on the wire, or may have to wait for long. */
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
      if (this.#underWay >= this.#max || this.#clock.now() - this.#lateAt < CALM_MS) return;
      this.#waiting.delete(begin);
      this.#underWay++;
      begin();
    }
  }
  /** Looks whether this process is late, as long as watches wait. */
  #look(): void {
    if (this.#looking || this.#waiting.size === 0) return;
    const due = this.#clock.now() + LOOK_MS;
    this.#looking = this.#scheduler.schedule(() => {
      this.#looking = undefined;
      const now = this.#clock.now();
      if (now - due > LATE_MS) this.#lateAt = now;
      this.#beginNext();
      this.#look();
    }, LOOK_MS);
  }
}
