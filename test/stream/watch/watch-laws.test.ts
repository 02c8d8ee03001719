import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { array, assert as check, bigInt, boolean, integer, property, tuple } from 'fast-check';
import { watchSettings } from '../../../src/stream/watch/watch-config.js';
import { nextTurn, type Ending, type WatchState } from '../../../src/stream/watch/watch-laws.js';
import { answer, isIdle, type Answer } from '../../poll-script.js';

const laws = watchSettings<Answer>({ isIdle });
const chance = 0.5;

/** A state with nothing behind it, but for what is given. */
const stateWith = (change: Partial<WatchState<Answer>> = {}): WatchState<Answer> => ({
  index: undefined,
  indexAt: undefined,
  previous: undefined,
  gap: undefined,
  indexFailures: 0,
  busyUntil: 0,
  status: {
    state: 'live',
    since: 0,
    lastAnswer: 0,
    attempt: 0,
    nextTry: undefined,
    error: undefined,
  },
  ...change,
});

const turn = (state: WatchState<Answer>, ending: Ending<Answer>, at = 0) =>
  nextTurn(state, { ...ending, at, chance }, laws);

const got = (given: Answer, askedAt = 0): Ending<Answer> => ({ kind: 'answer', answer: given, askedAt });

describe('the laws of the watch', () => {
  describe('an index', () => {
    const gapFrom = (before: string, index: string) =>
      turn(stateWith({ index: before }), got(answer(index))).signals.flatMap(signal =>
        signal.kind === 'gap' ? [signal.gap.reason] : [],
      );

    it('that is older is a gap: decimal ones of any length are compared, without making numbers of them', () => {
      const index = bigInt({ min: 0n, max: 10n ** 40n });
      check(
        property(index, index, (a, b) => {
          deepStrictEqual(gapFrom(`00${b}`, String(a)), a < b ? ['index_backwards'] : []);
        }),
      );
    });

    it('that is not decimal cannot be compared', () => {
      for (const [before, index] of [
        ['b', 'a'],
        ['b', '1'],
        ['1', '-2'],
        ['2', '1.5'],
      ] as const) {
        deepStrictEqual(gapFrom(before, index), []);
      }
    });

    it('is echoed as it came, a number as a string, and never an empty one', () => {
      strictEqual(turn(stateWith(), got(answer('007'))).state.index, '007');
      strictEqual(turn(stateWith({ index: '1' }), got(answer(''))).state.index, undefined);
      const numbered = { events: [], watch: { index: 7 } } as unknown as Answer;
      strictEqual(turn(stateWith(), got(numbered)).state.index, '7');
    });
  });

  describe('polls without news', () => {
    const paced = (state: WatchState<Answer>, at: number) => turn(state, { kind: 'nothing' }, at);

    it('are no more than burst, and one for each interval, whenever they come', () => {
      check(
        property(array(integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 200 }), lags => {
          let now = 0;
          let state = stateWith();
          const sent: number[] = [];
          for (const lag of lags) {
            const next = paced(state, now);
            state = next.state;
            sent.push((now += next.wait));
            now += lag;
          }
          for (const [i, start] of sent.entries()) {
            const within = sent.filter((at, j) => j >= i && at - start < 10_000).length;
            ok(within <= 13, `${within} in 10 s`);
          }
        }),
      );
    });

    it('never wait longer than an interval, even if the clock jumps', () => {
      check(
        property(array(tuple(integer({ min: 0, max: 2 ** 40 }), boolean())), jumps => {
          let state = stateWith();
          for (const [at] of jumps) {
            const next = paced(state, at);
            state = next.state;
            ok(next.wait >= 0 && next.wait <= laws.minInterval);
          }
        }),
      );
    });
  });
});
