import type { FleetEvent } from '../fleet-event.js';
import type { GivenIdentities, Presence } from './fleet-registry.js';

/** A list that changes reaches all workers in this many leases, or one of them was forgotten. */
const UPDATE_LEASES = 2;

/**
 * The workers that have been given other identities than this one, for too long: then some have no
 * poll, or are not to have one.
 */
export class DifferingLists {
  readonly #patience: number;
  readonly #since = new Map<string, number>();

  constructor(lease: number) {
    this.#patience = UPDATE_LEASES * lease;
  }

  /**
   * Tells of each worker that has had another list for the last two leases, and again after two
   * more. Nothing if this worker asks for the identities of a shard.
   */
  check(own: GivenIdentities | undefined, present: readonly Presence[], now: number): readonly FleetEvent[] {
    if (!own) return [];
    const lists = new Map<string, GivenIdentities[]>();
    for (const { worker, given } of present)
      if (given) lists.set(worker, [...(lists.get(worker) ?? []), given]);
    const differences: FleetEvent[] = [];
    for (const worker of this.#since.keys()) if (!lists.has(worker)) this.#since.delete(worker);
    for (const [worker, given] of lists) {
      const since = this.#since.get(worker) ?? now;
      if (given.some(({ count, hash }) => count === own.count && hash === own.hash))
        this.#since.delete(worker);
      else if (now - since < this.#patience) this.#since.set(worker, since);
      else {
        this.#since.set(worker, now);
        const theirs = given.at(-1)!.count;
        differences.push({ kind: 'identities_differ', worker, theirs, own: own.count });
      }
    }
    return differences;
  }
}
