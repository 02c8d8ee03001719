import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { merge, Observable, of } from 'rxjs';
import { ramp, type RampConfig } from 'lobby-rx';
import { RateLimit } from '../../src/client/ramp.js';
import { marbles } from '../marbles.js';
import { virtualTime } from '../virtual-time.js';

describe('ramp', () => {
  it(
    'subscribes to streams one after another, at the rate that they share',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const start = ramp({ perSecond: 50 });
      const sources = ['a', 'b', 'c'].map(name => cold(`${name}|`));
      expectObservable(merge(...sources.map(source$ => source$.pipe(start)))).toBe('a 19ms b 19ms c|');
      expectSubscriptions(sources[0]!.subscriptions).toBe('^!');
      expectSubscriptions(sources[1]!.subscriptions).toBe('20ms ^!');
      expectSubscriptions(sources[2]!.subscriptions).toBe('40ms ^!');
    }),
  );

  it(
    'gives the turn of who has left to the next one',
    marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const start = ramp({ perSecond: 50 });
      const [a, b, c] = [cold('a|'), cold('b|'), cold('c|')];
      expectObservable(a.pipe(start)).toBe('a|');
      expectObservable(b.pipe(start), '10ms !').toBe('');
      expectObservable(c.pipe(start)).toBe('20ms c|');
      expectSubscriptions(b.subscriptions).toBe([]);
      expectObservable(hot('-').pipe(start), '30ms !').toBe('');
    }),
  );

  it('starts thousands at the rate it is given, and has no timer when nobody waits', () => {
    const { scheduler, pass } = virtualTime();
    const start = ramp({ perSecond: 2_000, scheduler });
    let started = 0;
    const starting = merge(
      ...Array.from({ length: 5_000 }, () =>
        new Observable(() => {
          started++;
        }).pipe(start),
      ),
    ).subscribe();
    pass(1_000);
    ok(started >= 2_000 && started <= 2_050, String(started));
    starting.unsubscribe();
    pass(10_000);
    ok(started <= 2_050);
    strictEqual(scheduler.actions.length, 0);
  });

  it('says what is wrong with its config', () => {
    throws(() => ramp({ perSecond: 0 }), /perSecond/);
    throws(() => ramp({ perMinute: 1 } as RampConfig), /perMinute/);
  });
});

describe('a rate limit', () => {
  const limited = (burst: number) => {
    const { scheduler, pass } = virtualTime();
    const limit = new RateLimit({ interval: 1_000, burst, scheduler });
    const turns: string[] = [];
    const start = scheduler.now();
    const ask = (name: string) =>
      limit.turn().subscribe({ complete: () => turns.push(`${name} ${scheduler.now() - start}`) });
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

  it('tells how long a turn would take, and how many wait', () => {
    const { pass, limit, ask } = limited(1);
    strictEqual(limit.delay, 0);
    ask('a');
    strictEqual(limit.delay, 1_000);
    ask('b');
    ask('c');
    pass(400);
    deepStrictEqual([limit.waiting, limit.delay], [2, 2_600]);
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
    const limit = new RateLimit({ interval: 1_000, burst: 1, scheduler: clock, monotonic: scheduler });
    const start = scheduler.now();
    const turns: number[] = [];
    for (let i = 0; i < 3; i++)
      limit.turn().subscribe({ complete: () => turns.push(scheduler.now() - start) });
    pass(500);
    back = 3_600_000;
    pass(4_000);
    deepStrictEqual(turns, [0, 1_000, 2_000]);
    limit.pause(2_000);
    back = 7_200_000;
    limit.turn().subscribe({ complete: () => turns.push(scheduler.now() - start) });
    pass(3_000);
    deepStrictEqual(turns.slice(3), [6_500]);
    strictEqual(limit.pauseLeft, 0);
  });

  it('hands out turns that are asked for meanwhile after those that wait', () => {
    const { pass, limit, turns, ask } = limited(3);
    limit.turn().subscribe({ complete: () => ask('nested') });
    ask('b');
    of(0).subscribe(() => ask('c'));
    pass(2_000);
    deepStrictEqual(turns, ['nested 0', 'b 0', 'c 1000']);
  });
});
