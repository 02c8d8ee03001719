import { ignoreElements, type Observable, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { monotonicClock, TokenBucket, type FillRate } from '../../../../stream/index.js';

interface RateLimitConfig extends FillRate {
  readonly scheduler: SchedulerLike;
  readonly monotonic?: TimestampProvider;
}

/** Hands out turns at a rate that may change, in the order in which they are asked for. */
export class RateLimit extends TokenBucket {
  #pausedUntil = -Infinity;

  constructor({ scheduler, monotonic = monotonicClock(scheduler), ...rate }: RateLimitConfig) {
    super(rate, monotonic, scheduler);
  }

  /** Sets the rate from now on. */
  change(rate: FillRate): void {
    this.rate = rate;
  }

  /** How long a new turn would wait because of the rate, without the pause, in ms. */
  get delay(): number {
    return this.waitFor(this.waiting + 1);
  }

  /** How long the pause still lasts, in ms, or 0. */
  get pauseLeft(): number {
    return Math.max(0, this.#pausedUntil - this.clock.now());
  }

  /** Completes when it is the subscriber's turn. */
  turn(): Observable<never> {
    return this.take('all').pipe(ignoreElements());
  }

  /** Hands out no turns for `wait` ms. */
  pause(wait: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.clock.now() + wait);
  }

  protected override nextIn(): number {
    return Math.max(super.nextIn(), this.pauseLeft);
  }
}
