import type { SchedulerLike } from 'rxjs';
import { isStatusError, MAX_WAIT_MS } from '../../../../error/index.js';
import { monotonicClock, TokenBucket, type FillRate, type WatchStatus } from '../../../../stream/index.js';
import type { FleetEvent } from '../../fleet-event.js';

/** A poll that waits longer than this for its turn is reported, in ms. */
const NOTICEABLE_MS = 1_000;

/** How long to wait after a 429 without a `Retry-After`, in ms. */
const DEFAULT_WAIT_MS = 60_000;

/** The part of a minute's requests that may be sent at once. */
const BURST = 0.5;

/** Limits the polls from one address. All identities that are polled from there share the limit. */
export class RequestBudget extends TokenBucket {
  readonly #perMinute: number;
  readonly #emit: (event: FleetEvent) => void;
  #isLimited = false;
  #isPaused = false;

  constructor(requestsPerMinute: number, scheduler: SchedulerLike, emit: (event: FleetEvent) => void) {
    super(rateOf(requestsPerMinute), monotonicClock(scheduler), scheduler);
    this.#emit = emit;
    this.#perMinute = requestsPerMinute;
  }

  /**
   * Sets the number of workers that share the rate of the address. When a worker joins, all
   * together may send too much until their next beat.
   */
  shareAmong(workers: number): void {
    this.rate = rateOf(this.#perMinute / workers);
  }

  /** Makes all polls wait if the service has answered one with 429. */
  slowDownFor({ state, error }: WatchStatus): void {
    if (state !== 'retrying' || !isStatusError(error) || error.status !== 429) return;
    const wait = Math.min(error.retryAfter ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
    this.pause(wait);
    this.#isPaused = true;
    this.#emit({ kind: 'rate_limited', by: 'service', wait, waiting: this.waiting });
  }

  /**
   * Emits an event when the rate becomes too low, when it is high enough again, and when a pause is
   * over.
   */
  check(): void {
    if (this.pauseLeft > 0) return;
    const { waiting } = this;
    const delay = this.waitFor(waiting + 1);
    if (this.#isPaused) this.#emit({ kind: 'rate_limited', by: 'service', wait: 0, waiting });
    this.#isPaused = false;
    const isLimited = waiting > 0 && (this.#isLimited || delay > NOTICEABLE_MS);
    if (isLimited === this.#isLimited) return;
    this.#isLimited = isLimited;
    this.#emit({ kind: 'rate_limited', by: 'requestsPerMinute', wait: isLimited ? delay : 0, waiting });
  }
}

function rateOf(perMinute: number): FillRate {
  return { interval: 60_000 / perMinute, burst: Math.ceil(BURST * perMinute) };
}
