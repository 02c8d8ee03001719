import { deepStrictEqual } from 'node:assert';
import { Subject, throwError } from 'rxjs';
import { followWakes } from '../../../src/stream/watch/wakes.js';
import { virtualTime } from '../../virtual-time.js';

describe('the wakes of a watch', () => {
  it('count as one within a second, however the clock is set', () => {
    const { scheduler: virtual, pass } = virtualTime();
    let offset = 0;
    const now = () => virtual.now() + offset;
    const scheduler = Object.create(virtual, { now: { value: now } }) as typeof virtual;
    const wake$ = new Subject<void>();
    let wakes = 0;
    const following = followWakes({ wake$, scheduler }, () => wakes++);
    const after = (ms: number) => {
      pass(ms);
      wake$.next();
      return wakes;
    };
    deepStrictEqual([after(0), after(0), after(999), after(1), after(500)], [1, 1, 1, 2, 2]);
    offset = -60_000;
    deepStrictEqual([after(0), after(500)], [3, 3]);
    following.unsubscribe();
    deepStrictEqual([after(60_000), wake$.observed], [3, false]);
  });

  it('are none if their source fails', () => {
    const { scheduler } = virtualTime();
    const broken = () => {
      throw new Error('a wake that fails must not be heard of');
    };
    const following = followWakes({ wake$: throwError(() => new Error('mine')), scheduler }, broken);
    deepStrictEqual(following.closed, true);
  });
});
