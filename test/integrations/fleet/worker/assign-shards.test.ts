import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { assignShards, shardOf } from '../../../../src/integrations/fleet/worker/assign-shards.js';

const participants = fc.uniqueArray(
  fc.record({ worker: fc.string({ minLength: 1 }), capacity: fc.integer({ min: 1, max: 20 }) }),
  { minLength: 1, maxLength: 8, selector: ({ worker }) => worker },
);
const nobody = () => undefined;

describe('shards', () => {
  it('are where they always were: records are stored under them', () => {
    deepStrictEqual(
      ['a', 'b', '9db79e57-2688-4367-8e59-a1de7e05fd3c', 'ä€😀', ''].map(id => shardOf(id, 256)),
      [179, 50, 240, 142, 11],
    );
  });

  it('have about as many identities each', () => {
    const count = new Map<number, number>();
    for (let i = 0; i < 25_600; i++) {
      const shard = shardOf(`identity-${i}`, 256);
      count.set(shard, (count.get(shard) ?? 0) + 1);
    }
    ok([...count.values()].every(n => n > 60 && n < 150));
    deepStrictEqual(count.size, 256);
  });

  it('are assigned in proportion to the capacities of workers, all of them', () => {
    fc.assert(
      fc.property(participants, fc.integer({ min: 1, max: 300 }), (workers, shards) => {
        const owners = assignShards(shards, workers, nobody);
        deepStrictEqual(owners.length, shards);
        const total = workers.reduce((sum, { capacity }) => sum + capacity, 0);
        for (const [index, { capacity }] of workers.entries()) {
          const has = owners.filter(owner => owner === index).length;
          ok(
            Math.abs(has - (shards * capacity) / total) < 1,
            `${has} of ${shards} for ${capacity} of ${total}`,
          );
        }
      }),
      // The part of `b` is exactly 32, and others have less than it.
      {
        examples: [
          [[1, 11, 1, 14, 20, 17, 13].map((capacity, i) => ({ worker: 'abcdefg'[i]!, capacity })), 224],
        ],
      },
    );
  });

  it('stay where they are as far as that leaves each worker its part, however workers come and go', () => {
    fc.assert(
      fc.property(participants, participants, fc.integer({ min: 1, max: 300 }), (before, after, shards) => {
        const owned = assignShards(shards, before, nobody);
        const ownerOf = (shard: number) => before[owned[shard]!]?.worker;
        const owners = assignShards(shards, after, ownerOf);
        const count = (of: (shard: number) => boolean) =>
          Array.from({ length: shards }, (_, shard) => of(shard)).filter(Boolean).length;
        for (const [index, { worker }] of after.entries()) {
          const had = count(shard => ownerOf(shard) === worker);
          const has = count(shard => owners[shard] === index);
          const kept = count(shard => owners[shard] === index && ownerOf(shard) === worker);
          deepStrictEqual(kept, Math.min(had, has));
        }
        // And then all of them stay.
        deepStrictEqual(
          assignShards(shards, after, shard => after[owners[shard]!]!.worker),
          owners,
        );
      }),
    );
  });

  it('move to a worker that joins 40 others as few as it is to have', () => {
    const workers = Array.from({ length: 41 }, (_, i) => ({ worker: `worker-${i}`, capacity: 1 }));
    const before = assignShards(256, workers.slice(0, 40), nobody);
    const after = assignShards(256, workers, shard => `worker-${before[shard]}`);
    deepStrictEqual(before.filter((owner, shard) => owner !== after[shard]).length, 6);
  });

  it('are nobody’s if there is no worker', () => {
    deepStrictEqual(assignShards(4, [], nobody), []);
  });
});
