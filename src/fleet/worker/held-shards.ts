import { HeldShard, type ShardCounts, type ShardHolder } from './held-shard.js';
import type { Heartbeat } from '../fleet-event.js';
import type { Claim } from './fleet-roster.js';
import { shardOf } from './assign-shards.js';

/** The shards that a worker holds, and the identities that the fleet is to follow in all of them. */
export class HeldShards {
  readonly #shards: number;
  readonly #holder: ShardHolder;
  readonly #held = new Map<number, HeldShard>();
  readonly #counts: ShardCounts = { live: 0, retrying: 0, events: 0, failure: undefined };
  #wanted: ReadonlyMap<number, ReadonlySet<string>> | undefined;

  constructor(shards: number, holder: ShardHolder) {
    this.#shards = shards;
    this.#holder = holder;
  }

  /** Whether it is known which identities to follow. */
  get isWanting(): boolean {
    return this.#wanted !== undefined;
  }

  /** Follows these identities, as far as their shards are held. */
  want(identities: ReadonlySet<string>): void {
    const wanted = new Map<number, Set<string>>();
    for (const identity_id of identities) {
      const shard = shardOf(identity_id, this.#shards);
      wanted.set(shard, (wanted.get(shard) ?? new Set()).add(identity_id));
    }
    this.#wanted = wanted;
    for (const held of this.#held.values()) held.follow(this.wantedIn(held.shard));
  }

  /** The identities to follow in a shard. */
  wantedIn(shard: number): ReadonlySet<string> {
    return this.#wanted?.get(shard) ?? new Set();
  }

  get(shard: number): HeldShard | undefined {
    return this.#held.get(shard);
  }

  has(shard: number): boolean {
    return this.#held.has(shard);
  }

  keys(): readonly number[] {
    return [...this.#held.keys()];
  }

  /** Begins to follow the identities of a shard that has been claimed. */
  hold(claim: Claim, now: number): void {
    const held = new HeldShard(claim, now, this.#holder, this.#counts);
    this.#held.set(claim.shard, held);
    held.follow(this.wantedIn(claim.shard));
  }

  /** Ends the watches of a shard. Returns it, if it was held. */
  drop(shard: number): HeldShard | undefined {
    const held = this.#held.get(shard);
    this.#held.delete(shard);
    held?.stop();
    return held;
  }

  values(): Iterable<HeldShard> {
    return this.#held.values();
  }

  /** What a worker tells about what it holds. */
  get numbers(): Pick<Heartbeat, 'shards' | 'identities' | 'live' | 'retrying' | 'events'> {
    const { live, retrying, events } = this.#counts;
    let identities = 0;
    for (const { size } of this.#held.values()) identities += size;
    return { shards: this.#held.size, identities, live, retrying, events };
  }

  /** Tells the last failure of a poll, as long as polls fail. */
  tellFailure(): void {
    const { failure, retrying } = this.#counts;
    if (retrying === 0) this.#counts.failure = undefined;
    else if (failure) this.#holder.tell({ kind: 'retrying', ...failure, identities: retrying });
  }
}
