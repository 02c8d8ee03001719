import type { Heartbeat } from '../../fleet-event.js';

/** A worker gives way if all its polls have failed for this many leases. A trial is as long. */
const FAILING_LEASES = 2;

/**
 * The time from one trial to the next, in ms. Until then, the polls of another worker have got an
 * answer, even without news. So the service still keeps the events of an identity that is tried.
 */
const RESTING_MS = 90_000;

/**
 * Decides whether a worker gives way because none of its polls gets through, although those of
 * others may. Its address may be banned, or its DNS broken. It then gives all its shards to others.
 * Now and then it tries a few of them: one, or as many as it needs to have an identity to poll.
 */
export class Trial {
  readonly #patience: number;
  /** Since when all polls have failed, on the monotonic clock. */
  #since: number | undefined;
  /** How many shards it tries at a time. `undefined` if it has not given way. */
  #tried: number | undefined;
  #isResting = false;

  constructor(lease: number) {
    this.#patience = FAILING_LEASES * lease;
  }

  /** How many shards the worker takes. `undefined` if it takes its full part. */
  get shards(): number | undefined {
    return this.#isResting ? 0 : this.#tried;
  }

  /** Call it at each tick. */
  check({ live, retrying, identities, shards }: Heartbeat, now: number): void {
    if (live > 0 || (retrying === 0 && this.#tried === undefined)) {
      this.#since = undefined;
      this.#tried = undefined;
      this.#isResting = false;
      return;
    }
    this.#since ??= now;
    const time = now - this.#since - this.#patience;
    if (time < 0) return;
    this.#tried ??= 1;
    this.#isResting = time % (RESTING_MS + this.#patience) < RESTING_MS;
    if (!this.#isResting && identities === 0 && shards >= this.#tried) this.#tried *= 2;
  }
}
