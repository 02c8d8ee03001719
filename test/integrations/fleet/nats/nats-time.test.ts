import { deepStrictEqual } from 'node:assert';
import { NatsTime } from '../../../../src/integrations/fleet/nats/nats-time.js';

describe('the time of NATS', () => {
  it('is that of a heartbeat, and tells since when something is that was so old when it was stored', () => {
    let now = 5_000;
    const time = new NatsTime({ now: () => now });
    deepStrictEqual(time.isKnown, false);
    now += 20;
    time.learn(5_000, 1_000_000, 5_020);
    deepStrictEqual(time.isKnown, true);
    // Both clocks count the same.
    now += 60_000;
    deepStrictEqual([time.since(1_000_000, 0), time.since(1_000_000, 700)], [5_010, 4_310]);
    deepStrictEqual([time.age(5_010), time.age(4_310)], [60_010, 60_710]);
  });

  it('has nothing that was stored a moment ago in the future, but what has a wrong time', () => {
    const time = new NatsTime({ now: () => 1_000 });
    time.learn(1_000, 70_000, 1_000);
    deepStrictEqual(
      [time.since(70_900, 0), time.since(74_000, 100), time.since(99_000, 0)],
      [1_000, 900, 30_000],
    );
    deepStrictEqual(time.age(30_000), 0);
  });
});
