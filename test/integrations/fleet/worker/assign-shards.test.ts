import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import {
  assignShards,
  rankOf,
  shardOf,
  type Participant,
} from '../../../../src/integrations/fleet/worker/assign-shards.js';

const participants = fc.uniqueArray(
  fc.record({ worker: fc.string({ minLength: 1 }), capacity: fc.integer({ min: 1, max: 20 }) }),
  { minLength: 1, maxLength: 8, selector: ({ worker }) => worker },
);

const workersOf = (count: number): readonly Participant[] =>
  Array.from({ length: count }, (_, i) => ({ worker: `worker-${i}`, capacity: 1 }));

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
        const owners = assignShards(shards, workers);
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

  const namesOf = (shards: number, workers: readonly Participant[]) =>
    assignShards(shards, workers).map(owner => workers[owner]!.worker);

  it('have the same workers, in whatever order these are named', () => {
    const shuffled = participants.chain(workers =>
      fc.tuple(
        fc.constant(workers),
        fc.shuffledSubarray(workers, { minLength: workers.length, maxLength: workers.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, fc.integer({ min: 1, max: 300 }), ([workers, others], shards) => {
        deepStrictEqual(namesOf(shards, workers), namesOf(shards, others));
      }),
    );
  });

  it('are matched stably: no shard and worker prefer each other to what they have', () => {
    fc.assert(
      fc.property(participants, fc.integer({ min: 1, max: 100 }), (workers, shards) => {
        const owners = assignShards(shards, workers);
        for (const [index, rank] of workers.map(({ worker }) => rankOf(worker)).entries()) {
          const owned = owners.flatMap((owner, shard) => (owner === index ? [rank(shard)] : []));
          owners.forEach((owner, shard) => {
            const isPreferred = rank(shard) < rankOf(workers[owner]!.worker)(shard);
            ok(owner === index || !isPreferred || owned.every(other => other < rank(shard)));
          });
        }
      }),
    );
  });

  for (const [count, shards, most] of [
    [40, 256, 30],
    [100, 4_096, 160],
  ] as const)
    it(`move to a worker that joins ${count} others, of ${shards}, not many more than it is to have`, () => {
      const workers = workersOf(count + 1);
      const before = namesOf(shards, workers.slice(0, count));
      const moved = namesOf(shards, workers).filter((name, shard) => name !== before[shard]).length;
      ok(moved < most, String(moved));
    });

  it('are nobody’s if there is no worker', () => {
    deepStrictEqual(assignShards(4, []), []);
  });
});
