import { defer, tap, type Observable, type SchedulerLike } from 'rxjs';
import { ageOf, every, instant, monotonicClock, type Clocks, type Instant } from '../../stream/index.js';

/** The time between two beats, in ms. */
const INTERVAL_MS = 1_000;

/** The number of beats without a message after which the other tabs are silent. */
const MAX_MISSED = 3;

/** A beat is late after more than this time, in ms. */
const LATE_MS = 2 * INTERVAL_MS;

/**
 * A beat is early before this time, in ms. A timer is early if it catches up with the clock after a
 * delay. No message had time to come then, so an early beat is not one without a message.
 */
const EARLY_MS = INTERVAL_MS / 2;

/** Beats regularly. Notices if the other tabs are silent, or if this tab stood still. */
export class Heartbeat {
  /** Emits at each beat. */
  readonly beats$: Observable<unknown>;
  readonly #clocks: Clocks;
  /** On both clocks: one of them may be set, and the other one may stand still in sleep. */
  #lastBeat: Instant;
  /** The number of beats since the last message. */
  #silence = 0;
  /** This tab stood still, and has not yet asked whether anything has changed. */
  #isDoubtful = false;

  constructor(scheduler: SchedulerLike) {
    const clocks = { scheduler, monotonic: monotonicClock(scheduler) };
    this.#clocks = clocks;
    this.#lastBeat = instant(clocks);
    this.beats$ = defer(() => {
      this.#lastBeat = instant(clocks);
      this.#silence = 0;
      return every(INTERVAL_MS, scheduler);
    }).pipe(
      tap(() => {
        const now = instant(clocks);
        const elapsed = ageOf(this.#lastBeat, now);
        this.#lastBeat = now;
        if (elapsed > LATE_MS) {
          // A tab that stood still has not listened either.
          this.#silence = 0;
          this.#isDoubtful = true;
        } else if (elapsed > EARLY_MS) {
          this.#silence++;
        }
      }),
    );
  }

  /** A message has come from another tab, or this tab acts on the silence. */
  endSilence(): void {
    this.#silence = 0;
  }

  /**
   * Whether no message has come for several beats. If so, a tab that is visible takes the lock
   * away: see `silent$` of `tabLock`.
   */
  isSilent(): boolean {
    return this.#silence >= MAX_MISSED;
  }

  /**
   * Whether a beat was late. The tab was frozen or busy, or its timers are slow because it is
   * hidden.
   */
  hasStoodStill(): boolean {
    return this.#isDoubtful || ageOf(this.#lastBeat, instant(this.#clocks)) > LATE_MS;
  }

  /** Called once this tab knows whether anything changed while it stood still. */
  forgetStandstill(): void {
    this.#isDoubtful = false;
  }
}
