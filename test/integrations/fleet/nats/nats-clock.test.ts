import { deepStrictEqual } from 'node:assert';
import { NatsClock } from '../../../../src/integrations/fleet/nats/nats-clock.js';

describe('the clock of NATS', () => {
  it('is learnt from what is stored, and times are converted to it and back', () => {
    let now = 400_000;
    const clock = new NatsClock(() => now);
    deepStrictEqual([clock.toNats(7), clock.toLocal(7)], [7, 7]);
    now += 20;
    clock.learn(400_000, 10, 400_020);
    deepStrictEqual([clock.toNats(400_010), clock.toLocal(10)], [10, 400_010]);
  });

  it('is not learnt from a message that took long', () => {
    const clock = new NatsClock(() => 5_000);
    clock.learn(3_000, 0, 5_000);
    deepStrictEqual(clock.toNats(7), 7);
  });

  it('is not the future of what has just been stored, but that of a wrong time', () => {
    const clock = new NatsClock(() => 1_000);
    deepStrictEqual([clock.toLocal(1_900), clock.toLocal(90_000)], [1_000, 90_000]);
  });
});
