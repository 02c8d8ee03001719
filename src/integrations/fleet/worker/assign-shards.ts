/** Who takes part, and for how much of the work. */
export interface Participant {
  readonly worker: string;
  readonly capacity: number;
}

/**
 * The shard of an identity, from 0. It is a part of the names under which its records are stored, so that it never changes: it is
 * FNV-1a of the UTF-16 units of the id, mixed, modulo the number of shards.
 *
 * @example
 * const ids = await database.query('select id from player where shard = ?', [shardOf(identity_id, 256)]);
 */
export function shardOf(identity_id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < identity_id.length; i++) hash = Math.imul(hash ^ identity_id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % shards;
}

/**
 * Which worker is to have each shard, as its index in `workers`, in proportion to their capacities. No more shards move than have to:
 * `ownerOf` says who has one now.
 */
export function assignShards(
  shards: number,
  workers: readonly Participant[],
  ownerOf: (shard: number) => string | undefined,
): readonly number[] {
  const total = workers.reduce((sum, { capacity }) => sum + capacity, 0);
  const shares = workers.map(({ worker, capacity }, index) => {
    const rest = (shards * capacity) % total;
    return { worker, index, kept: [] as number[], quota: (shards * capacity - rest) / total, rest };
  });
  const shareOf = new Map(shares.map(share => [share.worker, share]));
  const free: number[] = [];
  for (let shard = 0; shard < shards; shard++) (shareOf.get(ownerOf(shard) ?? '')?.kept ?? free).push(shard);

  // What is left over goes to those with a part of a shard: first to who would have to give one away otherwise.
  const wouldGive = ({ kept, quota }: (typeof shares)[number]) => Number(kept.length > quota);
  const inOrder = shares
    .filter(({ rest }) => rest > 0)
    .sort((a, b) => wouldGive(b) - wouldGive(a) || b.rest - a.rest);
  const left = shards - shares.reduce((sum, { quota }) => sum + quota, 0);
  for (const share of inOrder.slice(0, left)) share.quota++;

  for (const { kept, quota } of shares) while (kept.length > quota) free.push(kept.pop()!);
  const owners: number[] = [];
  for (const { index, kept, quota } of shares) {
    while (kept.length < quota) kept.push(free.pop()!);
    for (const shard of kept) owners[shard] = index;
  }
  return owners;
}
