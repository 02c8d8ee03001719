import { deepStrictEqual, match } from 'node:assert';
import { NatsClock } from '../../../../src/integrations/fleet/nats/nats-clock.js';

describe('the clock of NATS', () => {
  const clockAt = (time: { now: number }) => {
    const told: string[] = [];
    const clock = new NatsClock(
      ({ message }) => told.push(message),
      () => time.now,
    );
    return { clock, told };
  };

  it('is learnt from what is stored, and times are converted to it and back', () => {
    const time = { now: 400_000 };
    const { clock, told } = clockAt(time);
    deepStrictEqual([clock.toNats(7), clock.toLocal(7)], [7, 7]);
    time.now += 20;
    clock.learn(400_000, 10, 400_020);
    deepStrictEqual([clock.toNats(400_010), clock.toLocal(10)], [10, 400_010]);
    deepStrictEqual(told.length, 1);
    match(told[0]!, /400 s ahead of that of NATS/);
  });

  it('is not learnt from a message that took long', () => {
    const time = { now: 5_000 };
    const { clock } = clockAt(time);
    clock.learn(3_000, 0, 5_000);
    deepStrictEqual(clock.toNats(7), 7);
  });

  it('tells once a minute that this machine is behind', () => {
    const time = { now: 0 };
    const { clock, told } = clockAt(time);
    for (; time.now < 120_000; time.now += 2_000) clock.learn(time.now, time.now + 25_000, time.now);
    deepStrictEqual(
      told,
      Array(2).fill('the clock of this machine is 25 s behind that of NATS: set both by NTP'),
    );
  });

  it('is not the future of what has just been stored, but that of a wrong time', () => {
    const { clock } = clockAt({ now: 1_000 });
    deepStrictEqual([clock.toLocal(1_900), clock.toLocal(90_000)], [1_000, 90_000]);
  });
});
