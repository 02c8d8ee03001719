import { deepStrictEqual, strictEqual } from 'node:assert';
import { BehaviorSubject, map, range, tap } from 'rxjs';
import { runWhile } from '../../../src/stream/feed/run-while.js';
import { marbles } from '../../marbles.js';

describe('runWhile', () => {
  it(
    'runs each time that it is on, and stops what it ran',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const isOn$ = cold(' f-t----f-t---', { t: true, f: false });
      const run$ = cold('    -a-b-----     ');
      const expected = '   ---a-b----a-b';
      expectObservable(
        runWhile(isOn$, () => run$),
        '-------------!',
      ).toBe(expected);
      expectSubscriptions(run$.subscriptions).toBe(['--^----!', '---------^---!']);
    }),
  );

  it(
    'ends as its run does, and unsubscribes from `isOn$`',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const isOn$ = cold('-t---', { t: true });
      expectObservable(runWhile(isOn$, () => cold('--a|'))).toBe('---a|');
      expectObservable(runWhile(isOn$, () => cold('--#'))).toBe('---#');
      const thrown = new Error('mine');
      const bug = () => {
        throw thrown;
      };
      expectObservable(runWhile(isOn$, bug)).toBe('-#', undefined, thrown);
      expectSubscriptions(isOn$.subscriptions).toBe(['^---!', '^--!', '^!']);
    }),
  );

  it('runs nothing before it is turned on, and its run may turn it off', () => {
    const isOn$ = new BehaviorSubject(false);
    const seen: number[] = [];
    let runs = 0;
    const run = () => {
      runs++;
      return range(0, 5).pipe(
        tap(n => n === 2 && isOn$.next(false)),
        map(n => n * 10),
      );
    };
    const running = runWhile(isOn$, run).subscribe(n => seen.push(n));
    strictEqual(runs, 0);
    isOn$.next(true);
    deepStrictEqual(seen, [0, 10]);
    strictEqual(running.closed, false);
    strictEqual(runs, 1);
  });
});
