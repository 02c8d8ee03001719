import { cursor, fieldsOf, plainObject, tryOr } from '../../../error/index.js';
import { shardOf, type BareCheckpoint, type BareCheckpoints } from '../worker/index.js';
import type { NatsTime } from './nats-time.js';
import type { WorkingFleet } from './open-fleet.js';

/** How many characters of checkpoints one value may have. NATS allows values of 1 MB by default. */
const PAGE_LENGTH = 500_000;

/** A bare checkpoint with its age when it was stored, in ms. */
type StoredCheckpoint = Omit<BareCheckpoint, 'since'> & { readonly age: number };

/** Bare checkpoints by shard and identity. */
type CheckpointsByShard = ReadonlyMap<number, ReadonlyMap<string, BareCheckpoint>>;

/**
 * The bare checkpoints of each shard in the bucket of positions. Those of a shard may take several
 * pages. Each page is a value with some of the identities, and the first one has the number of
 * pages.
 */
export class StoredCheckpoints {
  readonly #fleet: WorkingFleet;
  readonly #time: NatsTime;
  #former: CheckpointsByShard | undefined;

  constructor(fleet: WorkingFleet, time: NatsTime) {
    this.#fleet = fleet;
    this.#time = time;
  }

  async read(shard: number): Promise<BareCheckpoints> {
    const stored = await this.#read(this.#fleet.shards, shard);
    if (this.#fleet.before.length === 0) return stored;
    const newest = new Map(Object.entries(stored));
    const former = await this.#readFormer();
    // The present number of shards may have been in use before the former ones, so the newer
    // checkpoint counts.
    for (const [id, checkpoint] of former.get(shard) ?? []) {
      const known = newest.get(id);
      if (!known || checkpoint.since > known.since) newest.set(id, checkpoint);
    }
    return Object.fromEntries(newest);
  }

  async store(shard: number, checkpoints: BareCheckpoints): Promise<void> {
    const pages = [new Map<string, StoredCheckpoint>()];
    let length = 0;
    for (const [id, { sequence, key, index, since }] of Object.entries(checkpoints)) {
      const stored = { sequence, key, index, age: this.#time.age(since) };
      length += JSON.stringify([id, stored]).length;
      if (length > PAGE_LENGTH) {
        pages.push(new Map());
        length = 0;
      }
      pages.at(-1)!.set(id, stored);
    }
    // The first page is stored last. Pages that it no longer counts are not read.
    for (const [page, of] of [...pages.entries()].reverse()) {
      const value = { pages: pages.length, checkpoints: Object.fromEntries(of) };
      await this.#fleet.positions.put(pageKey(this.#fleet.shards, shard, page), JSON.stringify(value));
    }
  }

  async #read(shards: number, shard: number): Promise<BareCheckpoints> {
    const read = new Map<string, BareCheckpoint>();
    let pages = 1;
    for (let page = 0; page < pages; page++) {
      const entry = await this.#fleet.positions.get(pageKey(shards, shard, page));
      const stored = fieldsOf(entry && tryOr(() => entry.json<unknown>(), undefined));
      if (page === 0 && typeof stored.pages === 'number') pages = stored.pages;
      if (!entry || !plainObject.is(stored.checkpoints)) continue;
      for (const [id, checkpoint] of Object.entries(stored.checkpoints)) {
        if (!isStoredCheckpoint(checkpoint)) continue;
        const { sequence, key, index, age } = checkpoint;
        const since = this.#time.since(entry.created.getTime(), age);
        read.set(id, { sequence, key, index, since });
      }
    }
    return Object.fromEntries(read);
  }

  /**
   * The checkpoints from times with other numbers of shards, by the present shard of each identity.
   */
  async #readFormer(): Promise<CheckpointsByShard> {
    if (this.#former) return this.#former;
    const former = new Map<number, Map<string, BareCheckpoint>>();
    for (const shards of this.#fleet.before) {
      for (let shard = 0; shard < shards; shard++) {
        for (const [id, checkpoint] of Object.entries(await this.#read(shards, shard))) {
          const presentShard = shardOf(id, this.#fleet.shards);
          const checkpoints = former.get(presentShard) ?? new Map<string, BareCheckpoint>();
          former.set(presentShard, checkpoints.set(id, checkpoint));
        }
      }
    }
    this.#former = former;
    return this.#former;
  }
}

/** The key of a page of the checkpoints of a shard, in a fleet with this number of `shards`. */
function pageKey(shards: number, shard: number, page: number): string {
  return `checkpoints.${shards}.${shard}${page === 0 ? '' : `.${page}`}`;
}

function isStoredCheckpoint(u: unknown): u is StoredCheckpoint {
  const { sequence, key, index, age } = fieldsOf(u);
  return (
    Number.isSafeInteger(sequence) && typeof key === 'string' && cursor.is(index) && Number.isFinite(age)
  );
}
