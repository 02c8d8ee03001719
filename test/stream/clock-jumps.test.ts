import { deepStrictEqual } from 'node:assert';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { clockJumps } from 'lobby-rx';
import { marbles } from '../marbles.js';

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
});
