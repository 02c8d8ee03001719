import type { SchedulerLike } from 'rxjs';
import { monotonicClock } from '../../../stream/index.js';

/**
 * A time that runs out: how long the service has asked not to be asked, or is believed. It is
 * measured by the monotonic clock, since the clock of a machine may be set back by hours.
 */
export class Countdown {
  readonly #clock: { now(): number };
  #until = -Infinity;

  constructor(scheduler: SchedulerLike) {
    this.#clock = monotonicClock(scheduler);
  }

  /** How long it still lasts, in ms. 0 if it is over. */
  get left(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  /** It lasts for `wait` ms from now on, or for longer if it already does. */
  extend(wait: number): void {
    this.#until = Math.max(this.#until, this.#clock.now() + wait);
  }
}
