import { deepStrictEqual, strictEqual } from 'node:assert';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { clockJumps } from '../../../src/stream/timing/index.js';
import { marbles } from '../../marbles.js';
import { virtualTime } from '../../virtual-time.js';

describe('clockJumps', () => {
  it(
    'emits when the wall clock runs ahead of the monotonic one, and not for small jumps or jumps back',
    marbles(({ expectObservable, flush }) => {
      let offset = 0;
      const scheduler = Object.create(asyncScheduler, {
        now: { value: () => asyncScheduler.now() + offset },
      }) as SchedulerLike;
      asyncScheduler.schedule(() => {
        offset += 5_000;
      }, 7_000);
      asyncScheduler.schedule(() => {
        offset += 60_000;
      }, 12_000);
      asyncScheduler.schedule(() => {
        offset -= 60_000;
      }, 22_000);
      expectObservable(clockJumps(scheduler, asyncScheduler), '40s !').toBe('15s a', {
        a: 60_000,
      });
      flush();
      deepStrictEqual(offset, 5_000);
    }),
  );

  it('does not take want of CPU or slow timers for sleep: both clocks go on', () => {
    const { scheduler: virtual, pass } = virtualTime();
    let late = 0;
    const now = { value: () => virtual.now() + late };
    const scheduler = Object.create(virtual, { now }) as SchedulerLike;
    const seen: number[] = [];
    const watching = clockJumps(scheduler, scheduler).subscribe(lost => seen.push(lost));
    pass(5_000);
    // The next check comes that much later than it should, on either clock.
    late += 60_000;
    pass(20_000);
    watching.unsubscribe();
    deepStrictEqual(seen, []);
  });

  it('uses one timer for all subscribers with the same clock, and none without any', () => {
    const { scheduler } = virtualTime();
    const subscriptions = Array.from({ length: 100 }, () => clockJumps(scheduler).subscribe());
    strictEqual(scheduler.actions.length, 1);
    for (const subscription of subscriptions) subscription.unsubscribe();
    strictEqual(scheduler.actions.length, 0);
  });
});
