import { defer, interval, tap, type Observable, type SchedulerLike } from 'rxjs';

/** The time between two beats, in ms. */
const INTERVAL_MS = 1_000;

/** The number of beats without a message after which the other tabs are silent. */
const MAX_MISSED = 3;

/** A beat that comes after more than this many intervals is late. */
const LATE = 2;

/** Beats regularly, and notices if the other tabs are silent, or if this tab itself stood still. */
export class Heartbeat {
  /** Emits at each beat. */
  readonly beats$: Observable<unknown>;
  readonly #scheduler: SchedulerLike;
  #lastBeat = 0;
  #silence = 0;
  /** This tab stood still, and has not yet asked what has changed. */
  #isDoubtful = false;

  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
    this.beats$ = defer(() => {
      this.#lastBeat = scheduler.now();
      this.#silence = 0;
      return interval(INTERVAL_MS, scheduler);
    }).pipe(
      tap(() => {
        const since = scheduler.now() - this.#lastBeat;
        this.#lastBeat = scheduler.now();
        // A tab that stood still has not listened either, and may get several beats at once
        // afterwards.
        if (since > LATE * INTERVAL_MS) {
          this.#silence = 0;
          this.#isDoubtful = true;
        } else if (since > INTERVAL_MS / 2) this.#silence++;
      }),
    );
  }

  /** A message has come from another tab. */
  hear(): void {
    this.#silence = 0;
  }

  /** Whether no message has come for several beats. */
  isSilent(): boolean {
    return this.#silence >= MAX_MISSED;
  }

  /**
   * Whether a beat was late: the tab was frozen, or busy, or its timers are slow because it is
   * hidden.
   */
  hasStoodStill(): boolean {
    return this.#isDoubtful || this.#scheduler.now() - this.#lastBeat > LATE * INTERVAL_MS;
  }

  /** Called once this tab knows whether anything changed while it stood still. */
  settleDoubt(): void {
    this.#isDoubtful = false;
  }
}
