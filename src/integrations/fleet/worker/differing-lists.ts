import type { FleetEvent } from '../fleet-event.js';
import type { GivenIdentities, Presence } from './fleet-registry.js';

/** A changed list should reach all workers in this many leases. */
const UPDATE_LEASES = 2;

/**
 * Finds workers that have had other identities than this one for too long. Then some identities
 * have no poll, or have one that they should not have.
 */
export class DifferingLists {
  readonly #patience: number;
  readonly #since = new Map<string, number>();

  constructor(lease: number) {
    this.#patience = UPDATE_LEASES * lease;
  }

  /**
   * Returns an event for each worker that has had another list for two leases, and again every two
   * leases. It returns none if this worker uses `identitiesOf(shard)`, and so has no list.
   */
  check(own: GivenIdentities | undefined, present: readonly Presence[], now: number): readonly FleetEvent[] {
    if (!own) return [];
    const lists = new Map<string, GivenIdentities[]>();
    for (const { worker, given } of present) {
      if (!given) continue;
      const known = lists.get(worker) ?? [];
      lists.set(worker, [...known, given]);
    }
    const differences: FleetEvent[] = [];
    for (const worker of this.#since.keys()) {
      if (!lists.has(worker)) this.#since.delete(worker);
    }
    for (const [worker, given] of lists) {
      const since = this.#since.get(worker) ?? now;
      const isSame = given.some(({ count, hash }) => count === own.count && hash === own.hash);
      if (isSame) {
        this.#since.delete(worker);
      } else if (now - since < this.#patience) {
        this.#since.set(worker, since);
      } else {
        this.#since.set(worker, now);
        const theirs = given.at(-1)!.count;
        differences.push({ kind: 'identities_differ', worker, theirs, own: own.count });
      }
    }
    return differences;
  }
}
