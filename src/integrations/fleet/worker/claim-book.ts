import { concatMap, defer, filter, finalize, map, tap, type Observable } from 'rxjs';
import type { Claim, FleetRoster } from './fleet-roster.js';

/** What a worker knows about the claims of all shards. It stores its own only over those that it knows. */
export class ClaimBook {
  readonly #roster: FleetRoster;
  readonly #known = new Map<number, { readonly claim: Claim; readonly revision: number }>();
  readonly #storing = new Set<number>();
  /** Epochs that have been seen in records. */
  readonly #epochs = new Map<number, number>();

  constructor(roster: FleetRoster) {
    this.#roster = roster;
  }

  of(shard: number): Claim | undefined {
    return this.#known.get(shard)?.claim;
  }

  /** Whether a claim of this shard is being stored: until then, there is no other to be stored. */
  isStoring(shard: number): boolean {
    return this.#storing.has(shard);
  }

  /** What is known may be of a bucket that does not exist any more. */
  forget(): void {
    this.#known.clear();
  }

  /** A claim was heard. Returns whether it is news. */
  learn(claim: Claim, revision: number): boolean {
    if (revision <= this.#revisionOf(claim.shard)) return false;
    this.#known.set(claim.shard, { claim, revision });
    return true;
  }

  /** A record has this epoch: the next claim must have a higher one. */
  sawEpoch(shard: number, epoch: number): void {
    this.#epochs.set(shard, Math.max(epoch, this.#epochs.get(shard) ?? 0));
  }

  /** The epoch of the next owner of a shard. */
  nextEpoch(shard: number): number {
    return Math.max(this.of(shard)?.epoch ?? 0, this.#epochs.get(shard) ?? 0) + 1;
  }

  /** Stores a claim, after `before$`, if it still is the one that is known. Emits what `before$` did if it is stored, and completes. */
  store<T>(claim: Claim, before$: Observable<T>): Observable<T> {
    const { shard } = claim;
    return defer(() => {
      this.#storing.add(shard);
      return before$;
    }).pipe(
      concatMap(before =>
        this.#roster.claim(claim, this.#revisionOf(shard)).pipe(
          tap(() => this.#storing.delete(shard)),
          // Another worker has changed it, which is heard soon, or after this, and that has been heard.
          filter(revision => revision !== undefined && revision >= this.#revisionOf(shard)),
          tap(revision => this.#known.set(shard, { claim, revision: revision! })),
          map(() => before),
        ),
      ),
      finalize(() => this.#storing.delete(shard)),
    );
  }

  #revisionOf(shard: number): number {
    return this.#known.get(shard)?.revision ?? 0;
  }
}
