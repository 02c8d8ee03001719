import { deepStrictEqual } from 'node:assert';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { clockJumps } from 'lobby-rx';
import { marbles } from '../marbles.js';

describe('clockJumps', () => {
  it(
    'tells of time that went by unseen, and of nothing else',
    marbles(({ expectObservable, flush }) => {
      let lost = 0;
      const scheduler = Object.create(asyncScheduler, {
        now: { value: () => asyncScheduler.now() + lost },
      }) as SchedulerLike;
      asyncScheduler.schedule(() => (lost += 5_000), 7_000);
      asyncScheduler.schedule(() => (lost += 60_000), 12_000);
      asyncScheduler.schedule(() => (lost -= 60_000), 22_000);
      expectObservable(clockJumps({ scheduler }), '40s !').toBe('15s a', { a: 60_000 });
      flush();
      deepStrictEqual(lost, 5_000);
    }),
  );
});
