import { defer, interval, tap, type Observable, type SchedulerLike } from 'rxjs';

/** The time between two beats, in ms. */
const INTERVAL_MS = 1_000;

/** The number of beats without a message after which the other tabs are silent. */
const MAX_MISSED = 3;

/** A beat is late after more than this number of intervals. */
const LATE_BEATS = 2;

/** Beats regularly. Notices if the other tabs are silent, or if this tab stood still. */
export class Heartbeat {
  /** Emits at each beat. */
  readonly beats$: Observable<unknown>;
  readonly #scheduler: SchedulerLike;
  #lastBeat = 0;
  #silence = 0;
  /** This tab stood still, and has not yet asked whether anything has changed. */
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
        // A tab that stood still has not listened either. It may get several beats at once after
        // that.
        if (since > LATE_BEATS * INTERVAL_MS) {
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
   * Whether a beat was late. The tab was frozen or busy, or its timers are slow because it is
   * hidden.
   */
  hasStoodStill(): boolean {
    return this.#isDoubtful || this.#scheduler.now() - this.#lastBeat > LATE_BEATS * INTERVAL_MS;
  }

  /** Called once this tab knows whether anything changed while it stood still. */
  settleDoubt(): void {
    this.#isDoubtful = false;
  }
}
