import { deepStrictEqual, strictEqual } from 'node:assert';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { clockJumps } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { virtualTime } from '../virtual-time.js';

describe('clockJumps', () => {
  it(
    'emits when the clock jumps ahead, and not for small jumps or jumps back',
    marbles(({ expectObservable, flush }) => {
      let offset = 0;
      const scheduler = Object.create(asyncScheduler, {
        now: { value: () => asyncScheduler.now() + offset },
      }) as SchedulerLike;
      asyncScheduler.schedule(() => (offset += 5_000), 7_000);
      asyncScheduler.schedule(() => (offset += 60_000), 12_000);
      asyncScheduler.schedule(() => (offset -= 60_000), 22_000);
      expectObservable(clockJumps({ scheduler }), '40s !').toBe('15s a', { a: 60_000 });
      flush();
      deepStrictEqual(offset, 5_000);
    }),
  );

  /** What is emitted if the clock jumps by 40 ms while this happens, checked every 10 ms. */
  const jumpsDuring = (happening: () => void): number[] => {
    const { scheduler: virtual, pass } = virtualTime();
    let offset = 0;
    const now = { value: () => virtual.now() + offset };
    const scheduler = Object.create(virtual, { now }) as SchedulerLike;
    const seen: number[] = [];
    const watching = clockJumps({ every: 10, tolerance: 5, scheduler }).subscribe(lost => seen.push(lost));
    pass(10);
    happening();
    offset += 40;
    pass(20);
    watching.unsubscribe();
    return seen;
  };

  it('does not take a busy process for one that slept', () => {
    const busy = () => {
      const start = process.cpuUsage();
      const used = () => {
        const { user, system } = process.cpuUsage(start);
        return user + system;
      };
      while (used() < 25_000);
    };
    deepStrictEqual(
      jumpsDuring(() => undefined),
      [40],
    );
    deepStrictEqual(jumpsDuring(busy), []);
  });

  it('does not take the slow timers of a hidden page for sleep', () => {
    const page = globalThis as { document?: { visibilityState: string } };
    try {
      page.document = { visibilityState: 'hidden' };
      deepStrictEqual(
        jumpsDuring(() => undefined),
        [],
      );
      // Shown again just before the next check.
      deepStrictEqual(
        jumpsDuring(() => (page.document!.visibilityState = 'visible')),
        [],
      );
      deepStrictEqual(
        jumpsDuring(() => undefined),
        [40],
      );
    } finally {
      delete page.document;
    }
  });

  it('uses one timer for all subscribers with the same clock and options', () => {
    const { scheduler } = virtualTime();
    const subscriptions = Array.from({ length: 100 }, () => clockJumps({ scheduler }).subscribe());
    strictEqual(scheduler.actions.length, 1);
    const other = clockJumps({ scheduler, every: 1_000 }).subscribe();
    strictEqual(scheduler.actions.length, 2);
    for (const subscription of [...subscriptions, other]) subscription.unsubscribe();
  });
});
