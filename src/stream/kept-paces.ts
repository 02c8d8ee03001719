/** When the next poll may be sent: law 6. */
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

/** So many paces are kept at most: the oldest are forgotten first. */
const MAX_KEPT = 1_000;

/**
 * The paces of watches that have been left, by what they poll. Who watches the same again goes on
 * with it, until all is paid.
 */
export class KeptPaces {
  /** Absent until a watch is left that owes something. */
  #paces: Map<string, Pace> | undefined;

  of(key: string): Pace | undefined {
    return this.#paces?.get(key);
  }

  /** Of two, the one that owes more is kept. `now` is on the monotonic clock. */
  keep(key: string, pace: Pace, now: number): void {
    if (owedUntil(pace) <= Math.max(now, owedUntil(this.#paces?.get(key)))) return;
    this.#paces ??= new Map();
    for (const [each, kept] of this.#paces) if (owedUntil(kept) <= now) this.#paces.delete(each);
    this.#paces.delete(key);
    if (this.#paces.size >= MAX_KEPT) this.#paces.delete(this.#paces.keys().next().value!);
    this.#paces.set(key, pace);
  }
}

/** A backoff is not owed: who reloads must not wait for it. */
function owedUntil(pace: Pace | undefined): number {
  return pace ? Math.max(pace.paidUntil, pace.rest.earliest) : -Infinity;
}
