import { deepStrictEqual, strictEqual } from 'node:assert';
import { BehaviorSubject, of, range, Subject, take } from 'rxjs';
import { bufferWhile } from '../../../src/stream/feed/audience.js';
import { marbles } from '../../marbles.js';

/** Held, and free. */
const states = { h: true, f: false };

describe('bufferWhile', () => {
  it(
    'holds values, and emits them in order when it may',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(' a-b-c-----d-');
      const isHeld$ = cold('-h----f-----', states);
      const unsub = '       -----------!';
      const expected = '    a-----(bc)d-';
      expectObservable(source.pipe(bufferWhile(isHeld$)), unsub).toBe(expected);
      expectSubscriptions(source.subscriptions).toBe(' ^----------!');
      expectSubscriptions(isHeld$.subscriptions).toBe('^----------!');
    }),
  );

  it(
    'holds again each time, and changes nothing while it may emit',
    marbles(({ cold, expectObservable }) => {
      const source = cold(' -a-b-c-d-e-');
      const isHeld$ = cold('h-f-h-f-f--', states);
      const expected = '    --ab--cd-e-';
      expectObservable(source.pipe(bufferWhile(isHeld$)), '----------!').toBe(expected);
      expectObservable(source.pipe(bufferWhile(cold<boolean>('-'))), '----------!').toBe('-a-b-c-d-e-');
    }),
  );

  it(
    'completes and fails as its source does, once nothing is held any more',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const isHeld$ = cold('h----f--', states);
      expectObservable(cold('a-b|').pipe(bufferWhile(isHeld$))).toBe('-----(ab|)');
      expectObservable(cold('a-b#').pipe(bufferWhile(isHeld$))).toBe('-----(ab#)');
      expectObservable(cold('------|').pipe(bufferWhile(isHeld$))).toBe('------|');
      expectObservable(cold('---|').pipe(bufferWhile(isHeld$))).toBe('---|');
      expectSubscriptions(isHeld$.subscriptions).toBe(['^----!', '^----!', '^-----!', '^--!']);
    }),
  );

  it(
    'emits what passes at once',
    marbles(({ cold, expectObservable }) => {
      const source = cold(' a-p-b-');
      const isHeld$ = cold('h-----f-', states);
      const expected = '    --p---(ab)';
      const bypasses = (value: string) => value === 'p';
      expectObservable(source.pipe(bufferWhile(isHeld$, { bypasses })), '-------!').toBe(expected);
    }),
  );

  it(
    'emits another value instead of all that were buffered, if their number has one',
    marbles(({ cold, expectObservable, flush }) => {
      const counts: number[] = [];
      const replacedBy = (count: number) => {
        counts.push(count);
        return count > 1 ? [`${count}`] : undefined;
      };
      const source = cold(' ab--c--d-');
      const isHeld$ = cold('h-fh--f-hf', states);
      const expected = '    --2---cd-';
      expectObservable(source.pipe(bufferWhile(isHeld$, { replacedBy })), '----------!').toBe(expected);
      flush();
      deepStrictEqual(counts, [2, 1, 0]);
    }),
  );

  it('holds the rest if a value makes it, and counts only that', () => {
    const isHeld$ = new BehaviorSubject(true);
    const seen: string[] = [];
    const counts: number[] = [];
    of('a', 'b', 'c', 'd')
      .pipe(bufferWhile<string>(isHeld$, { replacedBy: count => void counts.push(count) }))
      .subscribe({
        next: value => {
          seen.push(value);
          if (value === 'b') isHeld$.next(true);
        },
        complete: () => seen.push('complete'),
      });
    isHeld$.next(false);
    deepStrictEqual(seen, ['a', 'b']);
    isHeld$.next(false);
    deepStrictEqual(seen, ['a', 'b', 'c', 'd', 'complete']);
    deepStrictEqual([counts, isHeld$.observed], [[4, 2], false]);
  });

  it('goes on once, in order, if it is held and free again within a value', () => {
    const isHeld$ = new BehaviorSubject(true);
    const source$ = new Subject<string>();
    const seen: string[] = [];
    source$.pipe(bufferWhile(isHeld$)).subscribe(value => {
      isHeld$.next(true);
      isHeld$.next(false);
      if (value === 'a') source$.next('late');
      // What comes of that must not come in between.
      seen.push(value);
    });
    for (const value of ['a', 'b']) source$.next(value);
    isHeld$.next(false);
    deepStrictEqual(seen, ['a', 'b', 'late']);
  });

  it('replaces only the rest if it is held and free again within a value', () => {
    const isHeld$ = new BehaviorSubject(true);
    const seen: string[] = [];
    of('a', 'b', 'c')
      .pipe(bufferWhile<string>(isHeld$, { replacedBy: count => (count === 2 ? ['2 more'] : undefined) }))
      .subscribe(value => {
        seen.push(value);
        if (value !== 'a') return;
        isHeld$.next(true);
        isHeld$.next(false);
      });
    isHeld$.next(false);
    deepStrictEqual(seen, ['a', '2 more']);
  });

  it('emits no more to a subscriber that leaves with one of the values', () => {
    const isHeld$ = new BehaviorSubject(true);
    const seen: number[] = [];
    range(0, 5)
      .pipe(bufferWhile(isHeld$), take(2))
      .subscribe(value => seen.push(value));
    isHeld$.next(false);
    deepStrictEqual([seen, isHeld$.observed], [[0, 1], false]);
  });

  it('takes as many values as there are', () => {
    const isHeld$ = new BehaviorSubject(true);
    let last = -1;
    range(0, 100_000)
      .pipe(bufferWhile(isHeld$))
      .subscribe(value => {
        last = value;
      });
    isHeld$.next(false);
    strictEqual(last, 99_999);
  });
});
