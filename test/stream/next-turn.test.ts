import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { array, assert as check, bigInt, boolean, integer, property, tuple } from 'fast-check';
import type { Recovery } from '../../src/error/index.js';
import { watchSettings } from '../../src/stream/watch-config.js';
import { freshPace } from '../../src/stream/poll-pace.js';
import { changeStatusOfHeld } from '../../src/stream/change-status.js';
import { nextTurn } from '../../src/stream/next-turn.js';
import { repeatMemory } from '../../src/stream/watch-memory.js';
import {
  firstState,
  type Ending,
  type Outcome,
  type WatchLaws,
  type Turn,
  type WatchState,
} from '../../src/stream/watch-turn.js';
import { answer, isIdle, type Answer } from '../poll-script.js';

const laws: WatchLaws<Answer> = { ...watchSettings<Answer>({ isIdle }), memory: repeatMemory() };
const chance = 0.5;

/** A moment on a wall clock and a monotonic clock that agree. */
const when = (at: number) => ({ at, monotonic: at });

/** A live state without any history, with these changes. */
const stateWith = (change: Partial<WatchState> = {}): WatchState => {
  const state = firstState(undefined, when(0));
  return { ...state, status: { ...state.status, state: 'live', lastAnswer: 0 }, ...change };
};

type Part<E> = E extends unknown ? Omit<E, 'askedAt'> : never;

/** The turn after a poll that was sent at 0, unless the ending says otherwise. */
const turn = (
  state: WatchState,
  ending: Part<Ending<Answer>> & { readonly askedAt?: number },
  at = 0,
  by = laws,
) => {
  const moment = { now: when(at), chance, spread: 1_000 };
  const outcome = { ...ending, askedAt: when(ending.askedAt ?? 0), ...moment } as Outcome<Answer>;
  return nextTurn(state, outcome, by);
};

/** The turn after a failure with this recovery. */
const failed = (state: WatchState, recovery: Recovery, at = 0) =>
  turn(state, { kind: 'failure', error: 'down' }, at, { ...laws, recovery: () => recovery });

const got = (given: Answer, askedAt = 0) => ({ kind: 'answer', answer: given, askedAt }) as const;

describe('the laws of the watch', () => {
  describe('after an answer', () => {
    const before = stateWith({
      ...{ index: '5', newest: '5', isAnswered: false, isStalled: true },
      ...{ indexFailures: 2, needsFreshConnection: true },
    });
    const after = (index: string) => turn(before, got(answer(index, 'x'))).state;

    it('there is no failure left to remember', () => {
      const { isAnswered, isStalled, indexFailures, needsFreshConnection } = after('6');
      deepStrictEqual([isAnswered, isStalled, indexFailures, needsFreshConnection], [true, false, 0, false]);
    });

    it('what was sent before may come again only if the index has not passed the newest one', () => {
      const parts = (index: string) => [after(index).newest, after(index).mayBeReplay];
      deepStrictEqual(
        [parts('6'), parts('5'), parts('4'), parts('')],
        [
          ['6', false],
          ['5', true],
          ['5', true],
          ['5', true],
        ],
      );
    });

    it('single events are looked up only if there is a reason', () => {
      const asked = (state: WatchState, index: string) => {
        let isSuspicious: boolean | undefined;
        const recall = (found: Answer, mayBeReplay: boolean) => {
          isSuspicious = mayBeReplay;
          return { answer: found, isNews: true, isKnown: false };
        };
        turn(state, got(answer(index, 'x')), 0, { ...laws, memory: { recall } });
        return isSuspicious;
      };
      deepStrictEqual(
        [asked(before, '6'), asked(before, '5'), asked({ ...before, mayBeReplay: true }, '6')],
        [false, true, true],
      );
      deepStrictEqual([asked(stateWith(), '1'), asked(before, '')], [false, false]);
    });
  });

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

    it('is missing if it fits into no URL, by its encoded length', () => {
      strictEqual(turn(stateWith(), got(answer('é'.repeat(341)))).state.index, 'é'.repeat(341));
      for (const index of ['é'.repeat(342), '7'.repeat(2_049), '\ud800']) {
        const { state } = turn(stateWith({ index: '6' }), got(answer(index, 'x')));
        deepStrictEqual([state.index, state.gap], [undefined, { reason: 'index_missing', index: '6' }]);
      }
    });

    it('is acknowledged with the time of its request, and as an empty string if the answer had none', () => {
      const given = answer('7', 'x');
      const { delivery } = turn(stateWith(), got(given, 5), 9);
      deepStrictEqual([delivery?.answer, delivery?.checkpoint], [given, { index: '7', at: 5 }]);
      deepStrictEqual(turn(stateWith(), got(answer(''), 5), 9).delivery?.checkpoint, { index: '', at: 5 });
    });
  });

  describe('consecutive failures that the index may have caused', () => {
    const blames: Recovery = { kind: 'retry', blamesIndex: true };
    const after = (count: number, state = stateWith({ index: '7' })): WatchState =>
      count === 0 ? state : after(count - 1, failed(state, blames).state);

    it('drop the index after five', () => {
      deepStrictEqual([after(4).index, after(4).gap], ['7', undefined]);
      deepStrictEqual([after(5).index, after(5).gap], [undefined, { reason: 'index_refused', index: '7' }]);
      strictEqual(after(5).indexFailures, 0);
    });

    for (const [name, between] of [
      ['an answer', (state: WatchState) => turn(state, got(answer('7')))],
      ['a poll that completes without one', (state: WatchState) => turn(state, { kind: 'nothing' })],
      ['a deadline', (state: WatchState) => turn(state, { kind: 'deadline' })],
      ['a poll that a proxy cut off', (state: WatchState) => failed(state, { kind: 'idle' })],
      ['a lost connection', (state: WatchState) => failed(state, { kind: 'retry' })],
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
    const live = stateWith({ index: '7', issued: when(0), isAnswered: true });
    const retrying = stateWith({
      index: '7',
      status: {
        ...{ state: 'retrying', since: 10, lastAnswer: 5, attempt: 3 },
        ...{ nextTry: 90, error: 'down', hint: undefined },
      },
    });
    const stateOf = ({ signals, state: { status } }: Turn<Answer>) => {
      deepStrictEqual(
        signals.filter(({ kind }) => kind === 'status'),
        signals.length ? [{ kind: 'status', status }] : [],
      );
      return [status.state, status.since, status.attempt, status.nextTry, status.error];
    };
    /** Why it waits, how long, and the kinds of its signals. */
    const summary = ({ why, signals, state: { rest } }: Turn<Answer>) => [
      ...[why, rest.wait],
      signals.map(({ kind }) => kind),
    ];

    it('with news continues at once', () => {
      const next = turn(live, got(answer('8', 'x')), 20);
      deepStrictEqual([summary(next), next.delivery?.isNews], [['news', 0, []], true]);
    });

    it('without news emits nothing, and says so', () => {
      for (const ending of [got(answer('8')), { kind: 'nothing' }] as const) {
        const spent = { ...live, pace: { ...freshPace(0), busyUntil: 20 + 2_500 } };
        deepStrictEqual(summary(turn(spent, ending, 20)), ['nothing', 500, []]);
      }
      deepStrictEqual(summary(failed(live, { kind: 'idle' }, 20)), ['nothing', 0, []]);
    });

    it('after a wake polls on a new connection, a random time of up to a second later', () => {
      const woken = turn({ ...live, pace: freshPace(20) }, { kind: 'woken' }, 20);
      deepStrictEqual(summary(woken), ['woke', 500, []]);
      const { index, needsFreshConnection } = woken.state;
      deepStrictEqual([index, needsFreshConnection], ['7', true]);
    });

    it('after a wake or a deadline is spread over a longer time if there are many watches', () => {
      for (const kind of ['woken', 'deadline'] as const) {
        const moment = { now: when(20), chance, spread: 10_000, askedAt: when(0) };
        strictEqual(nextTurn<Answer>(live, { kind, ...moment }, laws).state.rest.wait, 5_000);
      }
    });

    it('after a wake during a wait comes sooner, never later, and says when', () => {
      const wait = (wait: number, least: number) => {
        const next = turn({ ...retrying, rest: { since: 0, wait, least } }, { kind: 'woken' }, 20);
        return [
          next.state.rest.wait,
          next.state.status.nextTry,
          next.state.status.attempt,
          next.signals.length,
        ];
      };
      deepStrictEqual(wait(20_000, 0), [500, 520, 3, 1]);
      deepStrictEqual(wait(220, 0), [200, 220, 3, 1]);
      deepStrictEqual(wait(20_000, 1_520), [1_500, 1_520, 3, 1]);
    });

    it('is live after a poll without an answer, and retrying after a deadline', () => {
      deepStrictEqual(stateOf(turn(live, { kind: 'nothing' }, 20)), ['live', 0, 0, undefined, undefined]);
      deepStrictEqual(stateOf(turn(retrying, { kind: 'nothing' }, 20)), [
        ...['live', 20, 0, undefined, undefined],
      ]);
      const late = turn(live, { kind: 'deadline' }, 20);
      deepStrictEqual([late.state.rest.wait, late.state.needsFreshConnection], [500, true]);
      deepStrictEqual(stateOf(late), [...['retrying', 20, 0, undefined, undefined]]);
      // Not a failure, so the count does not increase; no sign of life either, so it does not start over.
      deepStrictEqual(stateOf(turn(retrying, { kind: 'deadline' }, 20)), [
        ...['retrying', 10, 3, undefined, undefined],
      ]);
    });

    it('after a poll that a proxy cut off in time is idle, and otherwise a failure', () => {
      const cut: Recovery = { kind: 'idle', ifHeldFor: 100 };
      const late = failed(retrying, cut, 100);
      deepStrictEqual([summary(late), late.state.status.state], [['nothing', 0, []], 'retrying']);
      deepStrictEqual([late.state.status.attempt, late.state.coveredUntil], [0, when(100)]);
      const early = failed(retrying, cut, 99);
      deepStrictEqual(
        [early.why, early.state.status.attempt, early.state.coveredUntil],
        ['failed', 4, undefined],
      );
    });

    it('with an index that is certainly to blame drops it at once, and without one backs off', () => {
      const refused: Recovery = { kind: 'retry', dropsIndex: true };
      const next = failed(live, refused, 20);
      deepStrictEqual(
        [next.state.index, next.state.gap?.reason, next.why],
        [undefined, 'index_refused', 'failed'],
      );
      deepStrictEqual(
        [failed(stateWith(), refused).state.gap, failed(stateWith(), refused).end],
        [undefined, undefined],
      );
    });

    it('has a hint only if there has never been an answer', () => {
      const foreign: Recovery = { kind: 'retry', hint: 'is the URL right?' };
      const never = stateWith({ status: { ...live.status, lastAnswer: undefined } });
      strictEqual(failed(never, foreign).state.status.hint, 'is the URL right?');
      strictEqual(failed(live, foreign).state.status.hint, undefined);
    });

    it('is live while a poll is held, after a failure as well, but not after a deadline', () => {
      const held = (state: WatchState) => {
        const { status } = changeStatusOfHeld(state, 40) ?? {};
        return status && [status.state, status.since, status.attempt, status.error];
      };
      deepStrictEqual(held(retrying), ['live', 40, 3, undefined]);
      strictEqual(held(live), undefined);
      const stalled = turn(retrying, { kind: 'deadline' }, 20).state;
      strictEqual(held(stalled), undefined);
      strictEqual(held(failed(stalled, { kind: 'retry' }, 30).state), undefined);
      deepStrictEqual(
        held({ ...turn(stalled, got(answer('8')), 30).state, status: retrying.status })?.[0],
        'live',
      );
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
    const endings: readonly Part<Ending<Answer>>[] = [
      { kind: 'nothing' },
      { kind: 'deadline' },
      { kind: 'woken' },
      { kind: 'failure', error: 'down' },
      got(answer('7')),
      got(answer('', 'x')),
    ];
    let kinds = 0;
    /** After any ending without news, one after the other. */
    const paced = (state: WatchState, at: number) => {
      const ending = endings[kinds++ % endings.length]!;
      const by = { ...laws, backoff: { initial: 0, max: 0 } };
      return turn(state, { ...ending, askedAt: at }, at, by);
    };

    it('never exceed the burst plus one per interval, however they are timed', () => {
      check(
        property(array(integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 200 }), lags => {
          let now = 0;
          let state = stateWith();
          const sent: number[] = [];
          for (const lag of lags) {
            const next = paced(state, now);
            state = next.state;
            sent.push((now += next.state.rest.wait));
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
            const { wait } = next.state.rest;
            ok(wait >= 0 && wait <= laws.minInterval, `${next.why} ${wait}`);
          }
        }),
      );
    });
  });
});
