/** When the next poll may be sent (law 6). */
export interface Pace {
  /** The rate limit of polls without news is paid up to this time, on the monotonic clock. */
  readonly paidUntil: number;
  /** The wait before the next poll. */
  readonly rest: Rest;
}

/** A wait, on the monotonic clock. A wake may shorten it, but not to before `earliest`. */
export interface Rest {
  readonly until: number;
  readonly earliest: number;
}

/** How many paces are kept at most. The oldest are forgotten first. */
const MAX_KEPT = 1_000;

/**
 * The paces of watches that have been left, by what they poll. The next watch of the same goes on
 * with the pace, until all is paid.
 */
export class KeptPaces {
  /** `undefined` until a watch that owes something is left. */
  #paces: Map<string, Pace> | undefined;

  of(key: string): Pace | undefined {
    return this.#paces?.get(key);
  }

  /** Keeps a pace. Of two, it keeps the one that owes more. `now` is on the monotonic clock. */
  keep(key: string, pace: Pace, now: number): void {
    if (owedUntil(pace) <= Math.max(now, owedUntil(this.#paces?.get(key)))) return;
    this.#paces ??= new Map();
    for (const [keptKey, kept] of this.#paces) {
      if (owedUntil(kept) <= now) this.#paces.delete(keptKey);
    }
    this.#paces.delete(key);
    if (this.#paces.size >= MAX_KEPT) this.#paces.delete(this.#paces.keys().next().value!);
    this.#paces.set(key, pace);
  }
}

/** A backoff is not owed, so that a reload does not have to wait for it. */
function owedUntil(pace: Pace | undefined): number {
  return pace ? Math.max(pace.paidUntil, pace.rest.earliest) : -Infinity;
}
