import { Subscription, type SchedulerAction, type SchedulerLike } from 'rxjs';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** A timer. It can be scheduled again while it runs, as an RxJS action can. */
class Timer<T> extends Subscription implements SchedulerAction<T> {
  /** When it fires, in ms of its clock; undefined while it does not wait. */
  due: number | undefined;
  order = 0;
  #state: T | undefined;

  constructor(
    readonly timers: Timers,
    readonly work: Work<T>,
  ) {
    super();
  }

  schedule(state?: T, delay = 0): Subscription {
    this.#state = state;
    this.timers.add(this as Timer<unknown>, delay);
    return this;
  }

  fire(): void {
    this.work(this.#state);
  }

  override unsubscribe(): void {
    if (this.closed) return;
    this.timers.remove(this as Timer<unknown>);
    super.unsubscribe();
  }
}

/**
 * The timers of one virtual clock, as an RxJS scheduler. `elapsed` is the time by which timers
 * fire; `now` is the time that the scheduler shows, which a person may set. Unlike RxJS's own
 * virtual scheduler it does not sort at each call.
 */
export class Timers implements SchedulerLike {
  readonly #waiting: Timer<unknown>[] = [];
  #count = 0;

  constructor(
    readonly elapsed: () => number,
    readonly now: () => number = elapsed,
  ) {}

  schedule<T>(work: Work<T>, delay = 0, state?: T): Subscription {
    return new Timer(this, work).schedule(state, delay);
  }

  /** When the next timer fires; Infinity if there is none. */
  get next(): number {
    return this.#waiting[0]?.due ?? Infinity;
  }

  fireNext(): void {
    const timer = this.#waiting.shift();
    if (!timer) return;
    timer.due = undefined;
    timer.fire();
  }

  add(timer: Timer<unknown>, delay: number): void {
    if (timer.closed || !Number.isFinite(delay)) return;
    this.remove(timer);
    const due = this.elapsed() + Math.max(0, delay);
    timer.due = due;
    timer.order = ++this.#count;
    let at = this.#waiting.length;
    while (at > 0 && this.#waiting[at - 1]!.due! > due) at--;
    this.#waiting.splice(at, 0, timer);
  }

  remove(timer: Timer<unknown>): void {
    if (timer.due === undefined) return;
    timer.due = undefined;
    this.#waiting.splice(this.#waiting.indexOf(timer), 1);
  }
}
