/** Who takes part, and for how much of the work. */
export interface Participant {
  readonly worker: string;
  readonly capacity: number;
}

/**
 * The shard of an identity, from 0. It is a part of the names under which its records are stored,
 * so that it never changes: it is FNV-1a of the UTF-16 units of the id, mixed, modulo the number of
 * shards.
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
 * Which worker has each shard, as its index in `workers`, in proportion to their capacities. It
 * follows from who takes part alone, so that all who know the same find the same, and few shards
 * move when one comes or goes: it is the stable matching in which a number for each shard and
 * worker says how much they like each other, and a worker has as many as its quota.
 */
export function assignShards(shards: number, workers: readonly Participant[]): readonly number[] {
  if (workers.length === 0) return [];
  const quotas = quotasOf(shards, workers);
  const likings = workers.map(({ worker }) => liking(worker));
  // By worker, from the smallest number to the largest: the last one goes if the worker is asked
  // for more than its quota.
  const kept = workers.map(() => ({ shards: [] as number[], likings: [] as number[] }));
  // A full worker takes only what it likes more than its last one.
  const bars = quotas.map(quota => (quota > 0 ? Infinity : -1));
  const owners = new Array<number>(shards);
  for (let first = 0; first < shards; first++) {
    for (let shard: number | undefined = first; shard !== undefined;) {
      let best = 0;
      let least = Infinity;
      for (let index = 0; index < workers.length; index++) {
        const number = likings[index]!(shard);
        if (number < least && number < bars[index]!) [best, least] = [index, number];
      }
      owners[shard] = best;
      const its = kept[best]!;
      let at = its.shards.length;
      while (at > 0 && its.likings[at - 1]! > least) at--;
      its.shards.splice(at, 0, shard);
      its.likings.splice(at, 0, least);
      const isOver = its.shards.length > quotas[best]!;
      shard = isOver ? its.shards.pop() : undefined;
      if (isOver) its.likings.pop();
      if (its.shards.length === quotas[best]) bars[best] = its.likings.at(-1)!;
    }
  }
  return owners;
}

/** A number of 32 bits for a text: the same everywhere. */
export const numberOf = (text: string): number => mixed(fnv(text));

/**
 * How much a worker and a shard like each other: the smaller the more. No worker likes two shards
 * as much as each other.
 */
export function liking(worker: string): (shard: number) => number {
  const seed = fnv(worker);
  return shard => mixed(seed ^ Math.imul(shard + 1, 0x9e3779b1));
}

/**
 * How many shards each worker has: what is left over goes to those with the largest parts of a
 * shard.
 */
function quotasOf(shards: number, workers: readonly Participant[]): readonly number[] {
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
