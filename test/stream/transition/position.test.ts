import { deepStrictEqual, strictEqual } from 'node:assert';
import { assert as check, bigInt, property } from 'fast-check';
import { concatMap, EMPTY, NEVER, of, Subject, throwError, timer } from 'rxjs';
import { watchSignals } from 'lobby-rx';
import { firstState } from '../../../src/stream/transition/index.js';
import { paceWait } from '../../../src/stream/transition/pace.js';
import { movedPosition } from '../../../src/stream/transition/position.js';
import { answer, type Answer } from '../../poll-script.js';
import { flat, got, laws, sent, stateWith, turn, when, type FlatState } from '../../transition.js';
import { virtualTime } from '../../virtual-time.js';

const RETENTION = 300_000;

/** The index of the next poll after an answer with this one. */
const usableIndex = (index: unknown) =>
  turn(stateWith(), got({ events: [], watch: { index } } as never)).state.index;

const isOlderIndex = (index: string, other: string) =>
  turn(stateWith({ index: other }), got(answer(index))).delivery?.gap?.reason === 'index_backwards';

describe('the index of a watch', () => {
  it('may be used until it is 297 s old, by the larger age of two clocks', () => {
    const since = when(1e9, 0);
    const state = stateWith({ index: '7', indexAt: since, contactAt: since });
    const mayBeUsed = (at: number, monotonic: number) =>
      turn(state, { kind: 'sent' }, when(1e9 + at, monotonic)).state.due === undefined;
    deepStrictEqual([mayBeUsed(297_000, 297_000), mayBeUsed(297_001, 297_001)], [true, false]);
    // The machine slept; the clock was set back, which hides nothing.
    deepStrictEqual([mayBeUsed(400_000, 10), mayBeUsed(-3_600_000, 10)], [false, true]);
    deepStrictEqual([mayBeUsed(-3_600_000, 297_000), mayBeUsed(-3_600_000, 297_001)], [true, false]);
  });

  it('is looked at when a poll is sent: the gap is due from then on, once', () => {
    const state = stateWith({ index: '7' });
    strictEqual(sent(state, 297_000).due, undefined);
    const late = sent(state, 297_001);
    deepStrictEqual([late.due, late.index], [{ reason: 'silence', index: '7' }, '7']);
    strictEqual(sent(late, 400_000).due, late.due);
    // What is already due says more, and a watch without an index has forgotten none.
    const missing = { reason: 'index_missing', index: '6' } as const;
    strictEqual(sent({ ...state, due: missing }, 400_000).due, missing);
    strictEqual(sent(stateWith(), 400_000).due, undefined);
  });

  it('has a gap after a silence that a clock that was set back would hide', () => {
    const { scheduler, pass } = virtualTime();
    let setBack = 0;
    const clock = Object.create(scheduler, {
      now: { value: () => scheduler.now() - setBack },
    }) as typeof scheduler;
    const answer$ = new Subject<Answer>();
    const polls = [of(answer('1', 'x')), answer$, answer$];
    const gaps: string[] = [];
    const watching = watchSignals(() => polls.shift() ?? NEVER, {
      scheduler: clock,
      testing: { monotonic: scheduler },
      timeout: 500_000,
      retention: RETENTION,
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

  it("stays young while the service's own timeouts end its polls, however long; cuts say nothing", () => {
    const cut = { kind: 'retry', mayBeCut: true } as const;
    const idle = { kind: 'no_news' } as const;
    for (const [ending, recovery, expected] of [
      [throwError(() => 'own timeout'), idle, []],
      [EMPTY, idle, []],
      [throwError(() => '504'), cut, ['silence']],
      [NEVER, idle, ['silence']],
    ] as const) {
      const { scheduler, pass } = virtualTime();
      const gaps: string[] = [];
      let polls = 0;
      const held$ = timer(50_000, scheduler).pipe(concatMap(() => ending));
      const poll = () => {
        polls++;
        if (polls === 1) return of(answer('1', 'x'));
        return polls < 10 ? held$ : of(answer('2', 'y'));
      };
      const watching = watchSignals(poll, {
        scheduler,
        testing: { random: () => 0 },
        timeout: 50_001,
        retention: RETENTION,
        recovery: () => recovery,
      }).subscribe(signal => {
        if (signal.kind === 'gap') gaps.push(signal.gap.reason);
      });
      pass(600_000);
      watching.unsubscribe();
      deepStrictEqual([gaps, polls > 9], [expected, true]);
    }
  });

  it('is usable as a string or a safe integer, if it fits into a URL', () => {
    deepStrictEqual(['7', 7, '007', 2 ** 53 - 1].map(usableIndex), ['7', '7', '007', '9007199254740991']);
    for (const index of ['', null, undefined, {}, [7], true, 'x'.repeat(2_049), '\ud800'])
      strictEqual(usableIndex(index), undefined);
    for (const number of [NaN, Infinity, 1e21, 2 ** 53, 0.5]) strictEqual(usableIndex(number), undefined);
  });

  it('is older than another one by its value as a decimal, of any length and with any zeros before it', () => {
    const index = bigInt({ min: 0n, max: 10n ** 40n });
    check(
      property(index, index, (a, b) => {
        strictEqual(isOlderIndex(`0${a}`, `000${b}`), a < b);
        strictEqual(isOlderIndex(`${a}x`, `${b}`) || isOlderIndex(`${a}`, `x${b}`), false);
      }),
    );
    deepStrictEqual([isOlderIndex('0', '00'), isOlderIndex('00', '1')], [false, true]);
  });
});

describe('where a watch starts', () => {
  const started = (from: Parameters<typeof firstState>[1]) =>
    flat(firstState(when(1e9, 500), from, RETENTION));
  const parts = ({ index, indexAt, contactAt, due }: FlatState) => ({ index, indexAt, contactAt, due });

  it('is now, without a gap and without a wait', () => {
    const now = when(1e9, 500);
    deepStrictEqual(parts(started(undefined)), {
      index: undefined,
      indexAt: now,
      contactAt: now,
      due: undefined,
    });
    const { rest, isAnswered, status, needsFreshConnection } = started(undefined);
    deepStrictEqual([rest.until, isAnswered, needsFreshConnection], [500, false, false]);
    deepStrictEqual([status.state, status.since, status.lastAnswer], ['connecting', 1e9, undefined]);
  });

  it('is a checkpoint, with its age on both clocks; an index alone counts as new', () => {
    const at = when(1e9 - 200, 300);
    deepStrictEqual(parts(started({ index: '7', at: 1e9 - 200 })), {
      index: '7',
      indexAt: at,
      contactAt: at,
      due: undefined,
    });
    strictEqual(started({ index: '7', at: 1e9 - 200 }).status.lastAnswer, 1e9 - 200);
    deepStrictEqual(started({ index: '7', at: undefined }).indexAt, when(1e9, 500));
  });

  it('is a gap without an index', () => {
    deepStrictEqual(started({ index: undefined, at: 1e9 }).due, {
      reason: 'index_missing',
      index: undefined,
    });
  });

  it('is a gap if the checkpoint is from the future; a little ahead may be the clock', () => {
    const ahead = (ms: number) => started({ index: '7', at: 1e9 + ms });
    deepStrictEqual([ahead(3_000).due, ahead(3_001).due], [undefined, { reason: 'silence', index: '7' }]);
    deepStrictEqual(ahead(3_000).indexAt, when(1e9, 500));
  });
});

describe('a watch that was continued elsewhere', () => {
  const here = stateWith({ index: '5' });

  it('goes on from that checkpoint, whose answer may come again', () => {
    const { index, indexAt, key, due } = movedPosition(here, when(500), { index: '7', at: 400 }, RETENTION);
    deepStrictEqual([index, indexAt, due], ['7', when(400), undefined]);
    // The key of no answer.
    deepStrictEqual(key, {});
  });

  it('goes on from its own index if that is the same place, and not if it is one of another log', () => {
    const logged = stateWith({ index: '5', handle: 'a' });
    const to = (handle: string) =>
      movedPosition(logged, when(500), { index: '5', at: 400, handle }, RETENTION);
    deepStrictEqual([to('a').indexAt, to('a').handle], [logged.indexAt, 'a']);
    deepStrictEqual([to('b').indexAt, to('b').handle], [when(400), 'b']);
  });

  it('has a gap if that has no index', () => {
    const { index, due } = movedPosition(here, when(500), { index: '', at: 400 }, RETENTION);
    deepStrictEqual([index, due], [undefined, { reason: 'index_missing', index: undefined }]);
  });

  it('starts from now without a checkpoint, and keeps the gap that is due only if it had no index before', () => {
    const missing = { reason: 'index_missing', index: '4' } as const;
    const moved = (change: Partial<FlatState>) =>
      movedPosition(stateWith(change), when(500), undefined, RETENTION);
    deepStrictEqual(
      [moved({ index: '5' }).index, moved({ index: '5', due: missing }).due],
      [undefined, undefined],
    );
    strictEqual(moved({ due: missing }).due, missing);
  });
});

describe('the pace of a watch', () => {
  it('lets a burst and one more go, and then one per interval', () => {
    let state = stateWith();
    const waits = Array.from({ length: 6 }, () => {
      state = sent(state, 0);
      return paceWait(state, when(0), laws);
    });
    deepStrictEqual(waits, [0, 0, 0, 1_000, 2_000, 3_000]);
    deepStrictEqual(paceWait(state, when(2_400), laws), 600);
  });

  it('saves up nothing: after an hour it is the same', () => {
    let state = sent(stateWith(), 0);
    for (let n = 0; n < 4; n++) state = sent(state, 3_600_000);
    strictEqual(paceWait(state, when(3_600_000), laws), 1_000);
  });

  it('goes by the monotonic clock', () => {
    let state = stateWith();
    for (let n = 0; n < 4; n++) state = sent(state, 0);
    strictEqual(paceWait(state, when(1e9, 100), laws), 900);
    strictEqual(paceWait(state, when(-1e9, 100), laws), 900);
  });
});
