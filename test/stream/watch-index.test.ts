import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { concatMap, EMPTY, NEVER, of, Subject, throwError, timer } from 'rxjs';
import { watchSignals } from 'lobby-rx';
import { mayBeForgotten, newerIndex, usableIndex } from '../../src/stream/watch-index.js';
import { answer, type Answer } from '../poll-script.js';
import { virtualTime } from '../virtual-time.js';

const RETENTION = 300_000;

describe('the index of a watch', () => {
  it('is too old by the larger age of two clocks, or if it comes from the future', () => {
    const isOld = (at: number, monotonic: number | undefined) =>
      mayBeForgotten(
        { at: 1e9, monotonic: monotonic === undefined ? undefined : 0 },
        { at: 1e9 + at, monotonic: monotonic ?? 5 },
        RETENTION,
      );
    // On both clocks; the machine slept; the clock was set back.
    deepStrictEqual([isOld(297_000, 297_000), isOld(297_001, 297_001)], [false, true]);
    deepStrictEqual(
      [isOld(400_000, 10), isOld(-3_600_000, 297_001), isOld(-3_600_000, 10)],
      [true, true, false],
    );
    // From another process: a little ahead may be the clock, more is no age at all.
    deepStrictEqual(
      [isOld(-3_000, undefined), isOld(-3_001, undefined), isOld(297_001, undefined)],
      [false, true, true],
    );
  });

  it('is told as a gap after a silence that a clock that was set back would hide', () => {
    const { scheduler, pass } = virtualTime();
    let setBack = 0;
    const clock = Object.create(scheduler, {
      now: { value: () => scheduler.now() - setBack },
    }) as typeof scheduler;
    const answer$ = new Subject<Answer>();
    const polls = [of(answer('1', 'x')), answer$];
    const gaps: string[] = [];
    const watching = watchSignals(() => polls.shift() ?? NEVER, {
      ...{ scheduler: clock, monotonic: scheduler, deadline: 500_000 },
    }).subscribe(signal => {
      if (signal.kind === 'gap') gaps.push(signal.gap.reason);
    });
    pass(200_000);
    setBack = 3_600_000;
    pass(200_000);
    answer$.next(answer('2', 'y'));
    pass(1);
    watching.unsubscribe();
    deepStrictEqual(gaps, ['silence']);
  });

  it('stays young while polls from it are idle, however long; a deadline says nothing', () => {
    for (const [ending, expected] of [
      [throwError(() => 'cut'), []],
      [EMPTY, []],
      [NEVER, ['silence']],
    ] as const) {
      const { scheduler, pass } = virtualTime();
      const gaps: string[] = [];
      let polls = 0;
      const held$ = timer(50_000, scheduler).pipe(concatMap(() => ending));
      const poll = () => (polls++ === 0 ? of(answer('1', 'x')) : polls < 10 ? held$ : of(answer('2', 'y')));
      const watching = watchSignals(poll, {
        ...{ scheduler, monotonic: scheduler, random: () => 0, deadline: 50_001 },
        recovery: () => ({ kind: 'idle', ifHeldFor: 10_000 }),
      }).subscribe(signal => {
        if (signal.kind === 'gap') gaps.push(signal.gap.reason);
      });
      pass(600_000);
      watching.unsubscribe();
      deepStrictEqual(gaps, expected);
      ok(polls > 9);
    }
  });

  it('is usable as a string or a number, if it fits into a URL', () => {
    deepStrictEqual(['7', 7, '007'].map(usableIndex), ['7', '7', '007']);
    for (const index of ['', null, undefined, {}, [7], true, 'x'.repeat(2_049), '\ud800']) {
      strictEqual(usableIndex(index), undefined);
    }
  });

  it('is the newest one if it is newer, or cannot be compared', () => {
    deepStrictEqual(
      [newerIndex('9', '10'), newerIndex('10', '9'), newerIndex('b', 'a'), newerIndex(undefined, '1')],
      ['10', '10', 'a', '1'],
    );
  });
});
