import { deepStrictEqual, ok } from 'node:assert';
import { NO_SHARES } from '../../../../src/integrations/fleet/worker/fleet-registry.js';
import { Calm, judge, sharesWithout } from '../../../../src/integrations/fleet/worker/judge.js';

const workers = (...names: readonly string[]) => names.map(worker => ({ worker, capacity: 1 }));

describe('who is to have which shard', () => {
  const given = { shards: 4, isSilent: () => true, now: 1_000 };

  it('is decided among those who are alive, and stays until that changes', () => {
    const shares = judge({ ...given, before: NO_SHARES, alive: workers('b', 'a') })!;
    deepStrictEqual([shares.epoch, shares.workers, shares.silent], [1_000, workers('a', 'b'), []]);
    deepStrictEqual([...shares.owners].sort(), [0, 0, 1, 1]);
    deepStrictEqual(judge({ ...given, before: shares, alive: workers('a', 'b') }), undefined);
  });

  it('says who was silent, and leaves them nothing', () => {
    const before = judge({ ...given, before: NO_SHARES, alive: workers('a', 'b') })!;
    const { silent, owners } = judge({ ...given, before, alive: workers('b', 'c') })!;
    deepStrictEqual([silent, [...owners].sort()], [['a'], [0, 0, 1, 1]]);
  });

  it('leaves those their shards who may only not have been heard yet', () => {
    const before = judge({ ...given, before: NO_SHARES, alive: workers('a', 'b') })!;
    const isSilent = () => false;
    deepStrictEqual(judge({ ...given, before, alive: workers('b'), isSilent }), undefined);
    deepStrictEqual(
      judge({ ...given, before, alive: workers('b', 'c'), isSilent })?.workers,
      workers('a', 'b', 'c'),
    );
  });

  it('has an epoch above the one before, although the clock of the leader is behind', () => {
    const before = judge({ ...given, before: NO_SHARES, alive: workers('a'), now: 9_000 })!;
    deepStrictEqual(judge({ ...given, before, alive: workers('a', 'b') })?.epoch, 9_001);
  });

  it('is without a worker that leaves, of whom nobody says that they were silent', () => {
    const before = judge({ ...given, before: NO_SHARES, alive: workers('a', 'b') })!;
    const after = sharesWithout('a', before, 2_000);
    deepStrictEqual(after, { epoch: 2_000, workers: workers('b'), owners: [0, 0, 0, 0], silent: [] });
    deepStrictEqual(sharesWithout('b', after, 3_000)?.owners, []);
  });
});

describe('the calm in which workers are taken for silent', () => {
  it('begins one and a half leases after NATS has answered without a break', () => {
    const calm = new Calm(1_000, 0);
    for (let at = 0; at <= 1_500; at += 250) calm.answered(at);
    deepStrictEqual([calm.isSilent('a', 1_500), calm.isSilent('a', 1_501)], [false, true]);
    calm.answered(2_400);
    ok(calm.isSilent('a', 2_400));
    // It was away for longer than a lease.
    calm.answered(3_401);
    deepStrictEqual([calm.isSilent('a', 3_401), calm.isSilent('a', 4_902)], [false, true]);
    deepStrictEqual(calm.silence(5_000), 1_599);
  });

  it('is not needed for who was found alive, and is not any more, unless the list of them was lost', () => {
    const calm = new Calm(1_000, 0);
    calm.answered(0);
    calm.found(workers('a', 'b'), 0, 100);
    deepStrictEqual([calm.isSilent('a', 200), calm.isSilent('c', 200)], [true, false]);
    calm.found(workers('b'), 1, 300);
    deepStrictEqual(
      [calm.isSilent('a', 300), calm.isSilent('b', 300), calm.isSilent('a', 1_801)],
      [false, true, true],
    );
  });
});
