import { deepStrictEqual } from 'node:assert';
import type { Heartbeat } from '../../../../../src/integrations/fleet/fleet-event.js';
import { Trial } from '../../../../../src/integrations/fleet/worker/report/trial.js';

const counts = (more: Partial<Heartbeat>) =>
  ({ identities: 5, live: 0, retrying: 0, shards: 8, ...more }) as Heartbeat;

describe('the trial of a worker', () => {
  const failing = counts({ retrying: 5 });

  it('begins when all polls have failed for two leases, tries a shard for two leases after 90 s, and ends with a poll that does not', () => {
    const trial = new Trial(1_000);
    const after = (heartbeat: Heartbeat, now: number) => {
      trial.check(heartbeat, now);
      return trial.shards;
    };
    deepStrictEqual(
      [
        after(failing, 0),
        after(counts({ live: 1, retrying: 4 }), 1_000),
        after(failing, 1_500),
        after(failing, 3_499),
        after(failing, 3_500),
        after(counts({ identities: 0, shards: 0 }), 93_499),
        after(counts({ identities: 0, shards: 0 }), 93_500),
        after(counts({ retrying: 1, identities: 1, shards: 1 }), 95_499),
        after(counts({ retrying: 1, identities: 1, shards: 1 }), 95_500),
        after(counts({ identities: 0, shards: 0 }), 185_500),
        after(counts({ live: 1, identities: 1, shards: 1 }), 186_000),
      ],
      [undefined, undefined, undefined, undefined, 0, 0, 1, 1, 0, 1, undefined],
    );
  });

  it('does not begin while no poll is sent, as in an outage of NATS', () => {
    const trial = new Trial(1_000);
    for (let now = 0; now < 60_000; now += 250) trial.check(counts({}), now);
    deepStrictEqual(trial.shards, undefined);
  });

  it('takes twice as many shards until one of them has an identity', () => {
    const trial = new Trial(1_000);
    trial.check(failing, 0);
    trial.check(failing, 92_000);
    const tried: unknown[] = [];
    for (const shards of [1, 1, 2, 2, 4]) {
      trial.check(counts({ identities: shards === 4 ? 1 : 0, shards }), 92_000);
      tried.push(trial.shards);
    }
    deepStrictEqual(tried, [2, 2, 4, 4, 4]);
  });
});
