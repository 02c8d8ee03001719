import type { GivenIdentities, Presence } from './fleet-registry.js';

/** Lists that change reach all workers in so many leases, or somebody has forgotten one of them. */
const PATIENCE_LEASES = 2;

interface Difference {
  readonly worker: string;
  /** How many identities that worker was given. */
  readonly theirs: number;
}

/**
 * Which workers have been given other identities than this one, for too long: then some have no
 * poll, or are not to have one.
 */
export class DifferingLists {
  readonly #patience: number;
  readonly #since = new Map<string, number>();

  constructor(lease: number) {
    this.#patience = PATIENCE_LEASES * lease;
  }

  /**
   * Returns those who have had another list for the last two leases. Each is returned again after
   * as long.
   */
  check(mine: GivenIdentities, present: readonly Presence[], now: number): readonly Difference[] {
    const lists = new Map<string, GivenIdentities[]>();
    for (const { worker, given } of present)
      if (given) lists.set(worker, [...(lists.get(worker) ?? []), given]);
    const differences: Difference[] = [];
    for (const worker of this.#since.keys()) if (!lists.has(worker)) this.#since.delete(worker);
    for (const [worker, given] of lists) {
      const since = this.#since.get(worker) ?? now;
      if (given.some(({ count, hash }) => count === mine.count && hash === mine.hash))
        this.#since.delete(worker);
      else if (now - since < this.#patience) this.#since.set(worker, since);
      else {
        this.#since.set(worker, now);
        differences.push({ worker, theirs: given.at(-1)!.count });
      }
    }
    return differences;
  }
}
