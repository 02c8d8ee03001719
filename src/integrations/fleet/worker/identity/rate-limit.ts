import {
  Observable,
  type SchedulerLike,
  type Subscriber,
  type Subscription,
  type TimestampProvider,
} from 'rxjs';
import { monotonicClock } from '../../../../stream/index.js';

interface RateLimitConfig {
  readonly interval: number;
  readonly burst: number;
  readonly scheduler: SchedulerLike;
  readonly monotonic?: TimestampProvider;
}

/** Hands out turns at a rate, in the order in which they were asked for. */
export class RateLimit {
  #interval: number;
  #burst: number;
  readonly #scheduler: SchedulerLike;
  readonly #clock: TimestampProvider;
  readonly #waiting = new Set<Subscriber<never>>();
  /**
   * When the turns that have been handed out are paid for, on the monotonic clock. A burst of them
   * may run ahead of the clock.
   */
  #paidAt = -Infinity;
  #pausedUntil = -Infinity;
  #timer: Subscription | undefined;

  /** `interval` is the time between turns, in ms; a `burst` of them may come at once. */
  constructor({ interval, burst, scheduler, monotonic }: RateLimitConfig) {
    this.#interval = interval;
    this.#burst = burst;
    this.#scheduler = scheduler;
    this.#clock = monotonic ?? monotonicClock(scheduler);
  }

  /** Changes the time between turns, and how many may come at once. */
  change({ interval, burst }: Pick<RateLimitConfig, 'interval' | 'burst'>): void {
    this.#interval = interval;
    this.#burst = burst;
  }

  /** How many wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** How long a turn that is asked for now has to wait because of the rate alone, in ms. */
  get delay(): number {
    return this.#untilPaid(this.#clock.now()) + this.#waiting.size * this.#interval;
  }

  /** How long the pause still lasts, in ms, or 0. */
  get pauseLeft(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** Completes when it is the subscriber's turn. */
  turn(): Observable<never> {
    return new Observable(subscriber => {
      this.#waiting.add(subscriber);
      subscriber.add(() => this.#leave(subscriber));
      // A turn may be asked for while others are handed out.
      if (!this.#timer) this.#handOut();
    });
  }

  /** Hands out no turns for `wait` ms. */
  pause(wait: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + wait);
  }

  #leave(subscriber: Subscriber<never>): void {
    this.#waiting.delete(subscriber);
    if (this.#waiting.size > 0) return;
    this.#timer?.unsubscribe();
    this.#timer = undefined;
  }

  #handOut(): void {
    this.#timer = undefined;
    for (const subscriber of this.#waiting) {
      const now = this.#clock.now();
      const wait = Math.max(this.#untilPaid(now), this.#pausedUntil - now);
      if (wait > 0) {
        this.#timer = this.#scheduler.schedule(() => this.#handOut(), wait);
        return;
      }
      this.#paidAt = Math.max(this.#paidAt, now) + this.#interval;
      this.#waiting.delete(subscriber);
      subscriber.complete();
    }
  }

  #untilPaid(now: number): number {
    return Math.max(0, this.#paidAt - (this.#burst - 1) * this.#interval - now);
  }
}
