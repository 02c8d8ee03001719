import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { array, assert as check, bigInt, boolean, integer, property, tuple } from 'fast-check';
import type { Recovery } from '../../../src/error/index.js';
import { watchSettings } from '../../../src/stream/watch/watch-config.js';
import { nextTurn, type Ending, type Turn, type WatchState } from '../../../src/stream/watch/watch-laws.js';
import { answer, isIdle, type Answer } from '../../poll-script.js';

const laws = watchSettings<Answer>({ isIdle });
const chance = 0.5;

/** A state without any history, with these changes. */
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

/** The turn after a failure with this recovery. */
const failed = (state: WatchState<Answer>, recovery: Recovery, at = 0) =>
  nextTurn(state, { kind: 'failure', error: 'down', at, chance }, { ...laws, recovery: () => recovery });

const got = (given: Answer, askedAt = 0): Ending<Answer> => ({ kind: 'answer', answer: given, askedAt });

describe('the laws of the watch', () => {
  describe('an index', () => {
    const gapFrom = (before: string, index: string) =>
      turn(stateWith({ index: before }), got(answer(index))).signals.flatMap(signal =>
        signal.kind === 'gap' ? [signal.gap.reason] : [],
      );

    it('causes a gap if it is older: decimal indexes of any length are compared, without converting them to numbers', () => {
      const index = bigInt({ min: 0n, max: 10n ** 40n });
      check(
        property(index, index, (a, b) => {
          deepStrictEqual(gapFrom(`00${b}`, String(a)), a < b ? ['index_backwards'] : []);
        }),
      );
    });

    it('is not compared if it is not decimal', () => {
      for (const [before, index] of [
        ['b', 'a'],
        ['b', '1'],
        ['1', '-2'],
        ['2', '1.5'],
        ['77', '-6'],
        ['77', '6-'],
        ['~7', '66'],
        ['7~', '66'],
      ] as const) {
        deepStrictEqual(gapFrom(before, index), []);
      }
    });

    it('is sent back unchanged, a number as a string, and never if it is empty', () => {
      strictEqual(turn(stateWith(), got(answer('007'))).state.index, '007');
      strictEqual(turn(stateWith({ index: '1' }), got(answer(''))).state.index, undefined);
      const numbered = { events: [], watch: { index: 7 } } as unknown as Answer;
      strictEqual(turn(stateWith(), got(numbered)).state.index, '7');
    });

    it('is acknowledged with the time of its request, and as an empty string if the answer had none', () => {
      const given = answer('7', 'x');
      deepStrictEqual(turn(stateWith(), got(given, 5), 9).toAck, {
        answer: given,
        checkpoint: { index: '7', at: 5 },
      });
      deepStrictEqual(turn(stateWith(), got(answer(''), 5), 9).toAck?.checkpoint, { index: '', at: 5 });
    });
  });

  describe('consecutive failures that the index may have caused', () => {
    const blames: Recovery = { kind: 'retry', blamesIndex: true };
    const after = (count: number, state = stateWith({ index: '7' })): WatchState<Answer> =>
      count === 0 ? state : after(count - 1, failed(state, blames).state);

    it('drop the index after five', () => {
      deepStrictEqual([after(4).index, after(4).gap], ['7', undefined]);
      deepStrictEqual([after(5).index, after(5).gap], [undefined, { reason: 'index_refused', index: '7' }]);
      strictEqual(after(5).indexFailures, 0);
    });

    for (const [name, between] of [
      ['an answer', (state: WatchState<Answer>) => turn(state, got(answer('7')))],
      ['a poll that completes without one', (state: WatchState<Answer>) => turn(state, { kind: 'nothing' })],
      ['a deadline', (state: WatchState<Answer>) => turn(state, { kind: 'deadline' })],
      ['a poll that a proxy cut off', (state: WatchState<Answer>) => failed(state, { kind: 'idle' })],
      ['a lost connection', (state: WatchState<Answer>) => failed(state, { kind: 'retry' })],
    ] as const) {
      it(`are counted anew after ${name}`, () => {
        const between4 = between(after(4)).state;
        strictEqual(after(4, between4).index, '7');
        strictEqual(after(5, between4).index, undefined);
      });
    }

    it('are still counted after a wake, which says nothing about the service', () => {
      strictEqual(after(1, turn(after(4), { kind: 'woken' }).state).index, undefined);
    });

    it('cause no gap if there was no index', () => {
      strictEqual(after(5, stateWith()).gap, undefined);
    });
  });

  describe('a turn', () => {
    const live = stateWith({ index: '7', indexAt: 0 });
    const retrying = stateWith({
      index: '7',
      status: { state: 'retrying', since: 10, lastAnswer: 5, attempt: 3, nextTry: 90, error: 'down' },
    });
    const stateOf = ({ signals, state: { status } }: Turn<Answer>) => {
      deepStrictEqual(
        signals.filter(({ kind }) => kind === 'status'),
        signals.length ? [{ kind: 'status', status }] : [],
      );
      return [status.state, status.since, status.attempt, status.nextTry, status.error];
    };
    /** Why it waits, how long, and the kinds of its signals. */
    const summary = ({ why, wait, signals }: Turn<Answer>) => [why, wait, signals.map(({ kind }) => kind)];

    it('with news continues at once', () => {
      deepStrictEqual(summary(turn(live, got(answer('8', 'x')), 20)), ['news', 0, ['answer']]);
    });

    it('without news emits nothing, and says so', () => {
      for (const ending of [got(answer('8')), { kind: 'nothing' }] as const) {
        const spent = { ...live, busyUntil: 20 + 2_500 };
        deepStrictEqual(summary(turn(spent, ending, 20)), ['nothing', 500, []]);
      }
      deepStrictEqual(summary(failed(live, { kind: 'idle' }, 20)), ['nothing', 0, []]);
    });

    it('after a wake waits for up to a second, keeps the state, and emits nothing', () => {
      const woken = turn(live, { kind: 'woken' }, 20);
      deepStrictEqual(woken, { signals: [], state: live, wait: 500, why: 'woke' });
    });

    it('is live after a poll without an answer, and retrying after a deadline', () => {
      deepStrictEqual(stateOf(turn(live, { kind: 'nothing' }, 20)), ['live', 0, 0, undefined, undefined]);
      deepStrictEqual(stateOf(turn(retrying, { kind: 'nothing' }, 20)), [
        ...['live', 20, 0, undefined, undefined],
      ]);
      deepStrictEqual(stateOf(turn(live, { kind: 'deadline' }, 20)), [
        ...['retrying', 20, 0, undefined, undefined],
      ]);
      // Not a failure, so the count does not increase; no sign of life either, so it does not start over.
      deepStrictEqual(stateOf(turn(retrying, { kind: 'deadline' }, 20)), [
        ...['retrying', 10, 3, undefined, undefined],
      ]);
    });

    it('after a poll that a proxy cut off leaves the status unchanged', () => {
      strictEqual(failed(retrying, { kind: 'idle' }, 20).state.status, retrying.status);
    });

    it('after a failure backs off', () => {
      const next = failed(live, { kind: 'retry' }, 20);
      deepStrictEqual(summary(next), ['failed', 250, ['status']]);
      deepStrictEqual(stateOf(next), ['retrying', 20, 1, 270, 'down']);
    });

    it('after a failure waits for at least as long as the service asked', () => {
      const next = failed(live, { kind: 'retry', after: 5_000, offline: true }, 20);
      deepStrictEqual(summary(next), ['asked', 5_250, ['status']]);
      deepStrictEqual(stateOf(next), ['offline', 20, 1, 5_270, 'down']);
    });

    it('after a failed acknowledgement backs off from the state before the answer', () => {
      const told = turn(live, got(answer('8', 'x')), 20).state.status;
      const next = turn(live, { kind: 'unacknowledged', error: 'disk full', told }, 20);
      deepStrictEqual(summary(next), ['ack', 250, ['status']]);
      deepStrictEqual(stateOf(next), ['retrying', 20, 1, 270, 'disk full']);
      const { index, gap, status } = next.state;
      deepStrictEqual([index, gap, status.lastAnswer], ['7', undefined, 0]);
    });

    it('that ends the watch sets the status to closed, and has the error', () => {
      const next = failed(live, { kind: 'end' }, 20);
      deepStrictEqual(summary(next), ['ended', 0, ['status']]);
      deepStrictEqual(stateOf(next), ['closed', 20, 0, undefined, 'down']);
      deepStrictEqual(next.end, { error: 'down' });
    });
  });

  describe('polls without news', () => {
    const paced = (state: WatchState<Answer>, at: number) => turn(state, { kind: 'nothing' }, at);

    it('never exceed the burst plus one per interval, however they are timed', () => {
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
