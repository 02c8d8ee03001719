import { defer, interval, tap, type Observable, type SchedulerLike } from 'rxjs';

/** So many beats without a word are a silence. */
const MAX_SILENCE = 3;

/** Beats regularly, and notices if the others are silent, or if this tab itself stood still. */
export class Heartbeat {
  /** Emits at each beat. */
  readonly beats$: Observable<unknown>;
  readonly #every: number;
  readonly #scheduler: SchedulerLike;
  #lastBeat = 0;
  #silence = 0;

  constructor(every: number, scheduler: SchedulerLike) {
    this.#every = every;
    this.#scheduler = scheduler;
    this.beats$ = defer(() => {
      this.#lastBeat = scheduler.now();
      this.#silence = 0;
      return interval(every, scheduler);
    }).pipe(
      tap(() => {
        const since = scheduler.now() - this.#lastBeat;
        // Whoever stood still has not listened either, and may get several beats at once afterwards.
        if (this.hasStoodStill()) this.#silence = 0;
        else if (since > every / 2) this.#silence++;
        this.#lastBeat = scheduler.now();
      }),
    );
  }

  /** There was a word from the others. */
  hear(): void {
    this.#silence = 0;
  }

  /** Whether there has been no word for several beats. */
  isSilent(): boolean {
    return this.#silence >= MAX_SILENCE;
  }

  /** Whether the next beat is late: the tab was frozen, or busy, or its timers are slow because it is hidden. */
  hasStoodStill(): boolean {
    return this.#scheduler.now() - this.#lastBeat > 2 * this.#every;
  }
}
