/** A worker that takes part in a fleet, with its capacity. */
export interface Participant {
  readonly worker: string;
  readonly capacity: number;
  /**
   * How many shards it tries, if all its polls fail. `undefined` if it takes its full part. If all
   * workers try, all take their full part, because others would not be better.
   */
  readonly trial?: number | undefined;
}

/**
 * The shard of an identity, from 0. The subjects of stored records contain it, so this function
 * never changes. It is FNV-1a of the UTF-16 units of the id, mixed, modulo the number of shards.
 *
 * @example
 * const ids = await database.query('select id from player where shard = ?', [
 *   shardOf(identity_id, 256),
 * ]);
 */
export function shardOf(identity_id: string, shards: number): number {
  return numberOf(identity_id) % shards;
}

/**
 * Returns the owner of each shard, as an index in `workers`. Workers get shards in proportion to
 * their capacities. The result depends only on the workers, so every worker computes the same
 * owners. Few shards move when a worker joins or leaves.
 *
 * It is a stable matching of shards and workers by deferred acceptance. Both sides have the same
 * preferences, the ranks of rendezvous hashing. A worker keeps as many shards as its quota.
 */
export function assignShards(shards: number, workers: readonly Participant[]): readonly number[] {
  if (workers.length === 0) return [];
  const quotas = quotasOf(shards, workers);
  const ranks = workers.map(({ worker }) => rankOf(worker));
  const matches = quotas.map(quota => new Match(quota));
  for (let first = 0; first < shards; first++) {
    // The shard proposes to the worker that it prefers. If that worker rejects another shard for
    // it, the other one proposes next.
    let proposing: number | undefined = first;
    while (proposing !== undefined) {
      let preferred = 0;
      let best = Infinity;
      for (let index = 0; index < workers.length; index++) {
        const rank = ranks[index]!(proposing);
        if (rank >= best || rank >= matches[index]!.bar) continue;
        preferred = index;
        best = rank;
      }
      proposing = matches[preferred]!.accept(proposing, best);
    }
  }
  const owners = new Array<number>(shards);
  matches.forEach((match, index) => {
    for (const shard of match.shards) owners[shard] = index;
  });
  return owners;
}

/** The shards that a worker has accepted so far, with the best rank first. */
class Match {
  readonly shards: number[] = [];
  readonly #ranks: number[] = [];
  readonly #quota: number;

  constructor(quota: number) {
    this.#quota = quota;
  }

  /** Only a rank below this is accepted. A full worker rejects its last shard for a better one. */
  get bar(): number {
    if (this.#quota === 0) return -1;
    return this.shards.length < this.#quota ? Infinity : this.#ranks.at(-1)!;
  }

  /** Returns the shard that is rejected for this one. `undefined` if there was room for both. */
  accept(shard: number, rank: number): number | undefined {
    let at = this.shards.length;
    while (at > 0 && this.#ranks[at - 1]! > rank) at--;
    this.shards.splice(at, 0, shard);
    this.#ranks.splice(at, 0, rank);
    if (this.shards.length <= this.#quota) return undefined;
    this.#ranks.pop();
    return this.shards.pop();
  }
}

/** A hash of a text with 32 bits. It is the same on every machine. */
export const numberOf = (text: string): number => mixed(fnv(text));

/**
 * Returns the rank of each shard for a worker, which is also the rank of that worker for the shard.
 * A smaller rank is preferred. No two shards have the same rank for a worker.
 */
export function rankOf(worker: string): (shard: number) => number {
  const seed = fnv(worker);
  return shard => mixed(seed ^ Math.imul(shard + 1, 0x9e3779b1));
}

/** How many shards each worker gets. Those that a worker on trial gives up go to the others. */
function quotasOf(shards: number, workers: readonly Participant[]): readonly number[] {
  const full = fullQuotas(shards, workers);
  const trusted = workers.filter(({ trial }) => trial === undefined);
  if (trusted.length === 0) return full;
  const tried = workers.map(({ trial }, index) => Math.min(trial ?? 0, full[index]!));
  const left = shards - tried.reduce((sum, quota) => sum + quota, 0);
  const shared = fullQuotas(left, trusted);
  return workers.map((worker, index) =>
    worker.trial === undefined ? shared[trusted.indexOf(worker)]! : tried[index]!,
  );
}

/**
 * Divides shards in proportion to the capacities. Those that are left over go to the workers with
 * the largest fractions of a shard.
 */
function fullQuotas(shards: number, workers: readonly Participant[]): readonly number[] {
  const total = workers.reduce((sum, { capacity }) => sum + capacity, 0);
  const rest = (index: number) => (shards * workers[index]!.capacity) % total;
  const quotas = workers.map(({ capacity }, index) => (shards * capacity - rest(index)) / total);
  const left = shards - quotas.reduce((sum, quota) => sum + quota, 0);
  const isBefore = (a: number, b: number) => (workers[a]!.worker < workers[b]!.worker ? -1 : 1);
  const inOrder = [...workers.keys()].sort((a, b) => rest(b) - rest(a) || isBefore(a, b));
  for (const index of inOrder.slice(0, left)) quotas[index]!++;
  return quotas;
}

/** FNV-1a of the UTF-16 units of a text. */
function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
