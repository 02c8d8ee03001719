import { Observable, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';

/** The event loop of a tab. While the tab hangs, what is to run waits. */
export class EventLoop {
  /** A clock of the tab, whose timers wait as well. */
  readonly clock: SchedulerLike;
  readonly #world: SchedulerLike;
  readonly #hangs: () => boolean;
  readonly #timers = new VirtualTimeScheduler();
  readonly #waiting: (() => void)[] = [];

  constructor(world: SchedulerLike, hangs: () => boolean) {
    this.#world = world;
    this.#hangs = hangs;
    this.#timers.frame = world.now();
    this.clock = Object.create(this.#timers, { now: { value: () => world.now() } }) as SchedulerLike;
  }

  run(task: () => void): void {
    if (this.#hangs()) this.#waiting.push(task);
    else task();
  }

  /** What a request emits, when the tab gets round to it. */
  observed<T>(source$: Observable<T>): Observable<T> {
    return new Observable(subscriber =>
      source$.subscribe({
        next: value => this.run(() => subscriber.next(value)),
        error: (error: unknown) => this.run(() => subscriber.error(error)),
        complete: () => this.run(() => subscriber.complete()),
      }),
    );
  }

  /** Runs what was waiting, and the timers that are due. */
  catchUp(): void {
    if (this.#hangs()) return;
    while (this.#waiting.length > 0) this.#waiting.shift()!();
    this.#timers.maxFrames = this.#world.now();
    this.#timers.flush();
    this.#timers.frame = this.#world.now();
  }
}
