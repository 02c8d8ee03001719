/** How much more than its fair share of shards a worker may get, so that few of them move when workers come and go. */
const SLACK = 1.1;

/** Who takes part. */
export interface Participant {
  readonly worker: string;
  readonly capacity: number;
}

/**
 * The shard of an identity. It is a part of the names under which its records are stored, so that it must never change: it is
 * FNV-1a of the UTF-16 units of the id, mixed, modulo the number of shards.
 */
export function shardOf(identity_id: string, shards: number): number {
  return hash(identity_id) % shards;
}

/**
 * Which worker is to have each shard: rendezvous hashing with bounded loads. Workers that know the same workers come to the same
 * result; if a worker comes or goes, few other shards move than those that it gets or had. Empty if there is no worker.
 */
export function assignShards(shards: number, participants: readonly Participant[]): readonly string[] {
  const workers = [...participants].sort((a, b) => (a.worker < b.worker ? -1 : 1));
  const total = workers.reduce((sum, { capacity }) => sum + capacity, 0);
  const left = new Map(
    workers.map(({ worker, capacity }) => [worker, Math.ceil((SLACK * shards * capacity) / total)]),
  );
  const owners: string[] = [];
  if (workers.length === 0) return owners;
  for (let shard = 0; shard < shards; shard++) {
    let best: string | undefined;
    let bestScore = -Infinity;
    for (const { worker, capacity } of workers) {
      if (!left.get(worker)) continue;
      // From 0 to 1, excluding both.
      const chance = (hash(`${worker} ${shard}`) + 0.5) / 2 ** 32;
      const score = -capacity / Math.log(chance);
      if (score <= bestScore) continue;
      best = worker;
      bestScore = score;
    }
    if (best === undefined) continue;
    owners.push(best);
    left.set(best, left.get(best)! - 1);
  }
  return owners;
}

/** 32 bits of a text. */
function hash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
