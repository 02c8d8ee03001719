import { deepStrictEqual, ok } from 'node:assert';
import fc from 'fast-check';
import { assignShards, shardOf } from '../../../../src/integrations/fleet/worker/assign-shards.js';

const workers = (...names: readonly string[]) => names.map(worker => ({ worker, capacity: 1 }));
const counts = (owners: readonly string[]) => {
  const count = new Map<string, number>();
  for (const owner of owners) count.set(owner, (count.get(owner) ?? 0) + 1);
  return count;
};

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

  it('are assigned to the same workers, in whatever order these are known', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 300 }), (names, shards) => {
        const owners = assignShards(shards, workers(...names));
        deepStrictEqual(assignShards(shards, workers(...[...names].reverse())), owners);
        deepStrictEqual(owners.length, shards);
        const most = Math.ceil((1.1 * shards) / names.length);
        ok([...counts(owners).values()].every(n => n <= most));
      }),
    );
  });

  it('stay where they are for the most part when a worker comes or goes', () => {
    const three = assignShards(256, workers('a', 'b', 'c'));
    const four = assignShards(256, workers('a', 'b', 'c', 'd'));
    const moved = three.filter((owner, shard) => owner !== four[shard]).length;
    // A quarter has to.
    ok(moved >= 40 && moved < 110, String(moved));
  });

  it('are assigned in proportion to the capacity of workers', () => {
    const owners = assignShards(256, [
      { worker: 'small', capacity: 1_000 },
      { worker: 'large', capacity: 3_000 },
    ]);
    const large = counts(owners).get('large')!;
    ok(large > 170 && large <= Math.ceil(256 * 0.75 * 1.1), String(large));
  });

  it('are nobody’s if there is no worker', () => {
    deepStrictEqual(assignShards(4, []), []);
  });
});
