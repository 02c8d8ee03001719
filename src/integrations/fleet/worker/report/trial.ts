import type { Heartbeat } from '../../fleet-event.js';

/** A worker gives way if all its polls have failed for this many leases. */
const FAILING_LEASES = 2;

/**
 * Decides whether a worker gives way because none of its polls gets through, although those of
 * others may. Its address may be banned, or its DNS broken. It then keeps a few shards to try: one,
 * or as many as it needs to have an identity to poll.
 */
export class Trial {
  readonly #patience: number;
  /** Since when all polls have failed, on the monotonic clock. */
  #since: number | undefined;
  #shards: number | undefined;

  constructor(lease: number) {
    this.#patience = FAILING_LEASES * lease;
  }

  /** How many shards the worker tries. `undefined` if it takes its full part. */
  get shards(): number | undefined {
    return this.#shards;
  }

  /** Call it at each tick. */
  check({ live, retrying, identities, shards }: Heartbeat, now: number): void {
    if (live > 0) {
      this.#since = undefined;
      this.#shards = undefined;
      return;
    }
    if (this.#shards !== undefined) {
      if (identities === 0 && shards >= this.#shards) this.#shards *= 2;
      return;
    }
    if (retrying === 0) this.#since = undefined;
    else this.#since ??= now;
    if (this.#since !== undefined && now - this.#since >= this.#patience) this.#shards = 1;
  }
}
