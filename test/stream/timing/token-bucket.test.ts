import { deepStrictEqual, strictEqual } from 'node:assert';
import { of } from 'rxjs';
import { TokenBucket } from '../../../src/stream/timing/index.js';
import { virtualTime } from '../../virtual-time.js';

const delayOf = (limit: TokenBucket) => limit.waitFor(limit.waiting + 1);

describe('a token bucket', () => {
  const limited = (burst: number) => {
    const { scheduler, pass } = virtualTime();
    const limit = new TokenBucket({ interval: 1_000, burst }, scheduler, scheduler);
    const turns: string[] = [];
    const start = scheduler.now();
    const ask = (name: string) =>
      limit.take('all').subscribe({ complete: () => turns.push(`${name} ${scheduler.now() - start}`) });
    return { scheduler, pass, limit, turns, ask };
  };

  it('has a burst, which comes back with time', () => {
    const { pass, turns, ask } = limited(2);
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    pass(10_000);
    ask('e');
    ask('f');
    ask('g');
    pass(1_000);
    deepStrictEqual(turns, ['a 0', 'b 0', 'c 1000', 'd 2000', 'e 10000', 'f 10000', 'g 11000']);
  });

  it('gives the turn of who has left to the next one, and has no timer when nobody waits', () => {
    const { scheduler, pass, turns, ask } = limited(1);
    ask('a');
    const left = ask('b');
    ask('c');
    pass(500);
    left.unsubscribe();
    strictEqual(scheduler.actions.length, 1);
    pass(600);
    deepStrictEqual([turns, scheduler.actions.length], [['a 0', 'c 1000'], 0]);
  });

  it('tells how long a turn would take, and how many wait', () => {
    const { pass, limit, ask } = limited(1);
    strictEqual(delayOf(limit), 0);
    ask('a');
    strictEqual(delayOf(limit), 1_000);
    ask('b');
    ask('c');
    pass(400);
    deepStrictEqual([limit.waiting, delayOf(limit)], [2, 2_600]);
  });

  it('pauses, and a shorter pause does not end a longer one', () => {
    const { pass, limit, turns, ask } = limited(1);
    limit.pause(5_000);
    limit.pause(1_000);
    ask('a');
    ask('b');
    pass(7_000);
    deepStrictEqual(turns, ['a 5000', 'b 6000']);
  });

  it('obeys a pause that begins while others wait', () => {
    const { pass, limit, turns, ask } = limited(1);
    ask('a');
    ask('b');
    limit.pause(3_000);
    pass(4_000);
    deepStrictEqual(turns, ['a 0', 'b 3000']);
  });

  it('does not wait for hours if the clock was set back', () => {
    const { scheduler, pass } = virtualTime();
    let back = 0;
    const clock = { now: () => scheduler.now() - back, schedule: scheduler.schedule.bind(scheduler) };
    const limit = new TokenBucket({ interval: 1_000, burst: 1 }, scheduler, clock);
    const start = scheduler.now();
    const turns: number[] = [];
    for (let i = 0; i < 3; i++)
      limit.take('all').subscribe({ complete: () => turns.push(scheduler.now() - start) });
    pass(500);
    back = 3_600_000;
    pass(4_000);
    deepStrictEqual(turns, [0, 1_000, 2_000]);
    limit.pause(2_000);
    back = 7_200_000;
    limit.take('all').subscribe({ complete: () => turns.push(scheduler.now() - start) });
    pass(3_000);
    deepStrictEqual(turns.slice(3), [6_500]);
    strictEqual(limit.pauseLeft, 0);
  });

  it('hands out turns that are asked for meanwhile after those that wait', () => {
    const { pass, limit, turns, ask } = limited(3);
    limit.take('all').subscribe({ complete: () => ask('nested') });
    ask('b');
    of(0).subscribe(() => ask('c'));
    pass(2_000);
    deepStrictEqual(turns, ['nested 0', 'b 0', 'c 1000']);
  });
});
