import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { array, assert as check, constant, constantFrom, integer, oneof, property, tuple } from 'fast-check';
import type { Recovery } from '../../src/error/index.js';
import { nextTurn } from '../../src/stream/next-turn.js';
import type { Turn, WatchState } from '../../src/stream/watch-state.js';
import { answer, type Answer } from '../poll-script.js';
import { failed, got, laws, sent, stateWith, turn, when } from '../turn.js';

/** Why it waits, how long from `at`, and the kinds of its signals. */
const summary = ({ why, signals, state: { rest } }: Turn<Answer>, at: number) => [
  ...[why, rest.until - at],
  signals.map(({ kind }) => kind),
];
const statusOf = ({ signals, state: { status } }: Turn<Answer>) => {
  deepStrictEqual(signals, signals.length ? [{ kind: 'status', status }] : []);
  return [status.state, status.since, status.attempt, status.nextTry, status.error];
};

const live = stateWith({ index: '7', isAnswered: true });
const retrying = stateWith({
  index: '7',
  status: {
    ...{ state: 'retrying', since: 10, lastAnswer: 5, attempt: 3 },
    ...{ nextTry: 90, error: 'down', hint: undefined },
  },
});

describe('the laws of the watch', () => {
  describe('consecutive failures that the index may have caused', () => {
    const blames: Recovery = { kind: 'retry', blamesIndex: true };
    const after = (count: number, state = stateWith({ index: '7' })): WatchState =>
      count === 0 ? state : after(count - 1, failed(state, blames).state);

    it('drop the index after five', () => {
      deepStrictEqual([after(4).index, after(4).due], ['7', undefined]);
      deepStrictEqual([after(5).index, after(5).due], [undefined, { reason: 'index_refused', index: '7' }]);
      strictEqual(after(5).indexFailures, 0);
    });

    for (const [name, between] of [
      ['an answer', (state: WatchState) => turn(state, got(answer('7')))],
      ['a poll that completes without one', (state: WatchState) => turn(state, { kind: 'nothing' })],
      ['a timeout', (state: WatchState) => turn(state, { kind: 'timeout' })],
      ['an index that became too old', (state: WatchState) => turn(state, { kind: 'outdated' })],
      ['a poll that was cut off', (state: WatchState) => failed(state, { kind: 'cut' })],
      ["the service's own timeout", (state: WatchState) => failed(state, { kind: 'idle' })],
      ['a lost connection', (state: WatchState) => failed(state, { kind: 'retry' })],
      ['a return', (state: WatchState) => turn(state, { kind: 'returned' })],
    ] as const) {
      it(`are counted from zero after ${name}`, () => {
        const between4 = between(after(4)).state;
        strictEqual(after(4, between4).index, '7');
        strictEqual(after(5, between4).index, undefined);
      });
    }

    it('are still counted after a wake or a poll that is held, which say nothing about the service', () => {
      for (const kind of ['woken', 'held'] as const)
        strictEqual(after(1, turn(after(4), { kind }).state).index, undefined);
    });

    it('cause no gap if there was no index', () => {
      strictEqual(after(5, stateWith()).due, undefined);
    });
  });

  describe('a turn', () => {
    it('that sends a poll or holds one ends nothing', () => {
      for (const kind of ['sent', 'held'] as const) strictEqual(turn(live, { kind }).why, undefined);
    });

    it('after a wake polls on a new connection, a random time of up to a second later', () => {
      const woken = turn(live, { kind: 'woken' }, 20);
      deepStrictEqual(summary(woken, 20), ['woke', 500, []]);
      const { index, needsFreshConnection } = woken.state;
      deepStrictEqual([index, needsFreshConnection], ['7', true]);
    });

    it('after a wake or a timeout is spread over a longer time if there are many watches', () => {
      for (const kind of ['woken', 'timeout'] as const) {
        const { state } = nextTurn<Answer>(live, { kind }, { now: when(20), openWatches: 10_000 }, laws);
        strictEqual(state.rest.until, 5_020);
      }
    });

    it('after a wake during a poll keeps to the pace', () => {
      deepStrictEqual(summary(turn({ ...live, paidUntil: 5_000 }, { kind: 'woken' }, 20), 20), [
        ...['woke', 1_980, []],
      ]);
    });

    it('after a wake during a wait comes sooner, never later, and says when', () => {
      const wait = (until: number, least: number) => {
        const rest = { until, earliest: least };
        const next = turn({ ...retrying, rest }, { kind: 'woken' }, 20);
        const { nextTry, attempt } = next.state.status;
        // Further wakes do not shorten it.
        const isFixed = next.state.rest.earliest === next.state.rest.until;
        return [next.state.rest.until - 20, isFixed, nextTry, attempt, next.signals.length];
      };
      deepStrictEqual(wait(20_000, 0), [500, true, 520, 3, 1]);
      deepStrictEqual(wait(220, 0), [200, true, 220, 3, 1]);
      deepStrictEqual(wait(20_000, 1_520), [1_500, true, 1_520, 3, 1]);
    });

    it('is live after an answer, however it is, and after a poll without one', () => {
      deepStrictEqual(statusOf(turn(live, { kind: 'nothing' }, 20)), ['live', 0, 0, undefined, undefined]);
      for (const ending of [{ kind: 'nothing' }, got(answer('8')), got(answer('8', 'x'))] as const)
        deepStrictEqual(statusOf(turn(retrying, ending, 20)), ['live', 20, 0, undefined, undefined]);
      const idle = failed(retrying, { kind: 'idle' }, 20);
      deepStrictEqual([statusOf(idle), idle.why], [['live', 20, 0, undefined, undefined], 'nothing']);
    });

    it('after a cut is what it was: that is no failure, and says nothing about the service', () => {
      for (const next of [
        ...[turn(retrying, { kind: 'timeout' }, 20), turn(retrying, { kind: 'outdated' }, 20)],
        failed(retrying, { kind: 'cut' }, 20),
      ]) {
        deepStrictEqual([next.why, next.signals, next.state.status], ['cut', [], retrying.status]);
        deepStrictEqual([next.state.indexAt, next.state.heardAt], [retrying.indexAt, retrying.heardAt]);
      }
    });

    it('after a timeout, or with an index that became too old, polls on a new connection; after another cut need not', () => {
      strictEqual(turn(live, { kind: 'timeout' }, 20).state.needsFreshConnection, true);
      strictEqual(turn(live, { kind: 'outdated' }, 20).state.needsFreshConnection, true);
      strictEqual(failed(live, { kind: 'cut' }, 20).state.needsFreshConnection, false);
      // A timeout may hit many watches at once; an index becomes too old for one.
      strictEqual(turn(live, { kind: 'timeout' }, 20).state.rest.until, 520);
      strictEqual(turn(live, { kind: 'outdated' }, 20).state.rest.until, 20);
    });

    it('after a poll that was ended in time is idle or cut, and otherwise a failure', () => {
      for (const kind of ['idle', 'cut'] as const) {
        const recovery: Recovery = { kind, ifHeldFor: 100 };
        const late = failed(retrying, recovery, 100);
        deepStrictEqual([late.why, late.state.status.attempt], kind === 'cut' ? ['cut', 3] : ['nothing', 0]);
        const early = failed(retrying, recovery, 99);
        deepStrictEqual([early.why, early.state.status.attempt], ['failed', 4]);
      }
    });

    it('with an index that is certainly to blame drops it at once, and without one backs off', () => {
      const refused: Recovery = { kind: 'retry', dropsIndex: true };
      const next = failed(live, refused, 20);
      deepStrictEqual(
        [next.state.index, next.state.due, next.why],
        [undefined, { reason: 'index_refused', index: '7' }, 'failed'],
      );
      const without = failed(stateWith(), refused);
      deepStrictEqual([without.state.due, without.end], [undefined, undefined]);
    });

    it('after a refusal is tried once without the index, and then ends', () => {
      const next = failed(live, { kind: 'index' }, 20);
      deepStrictEqual([next.state.index, next.end], [undefined, undefined]);
      deepStrictEqual(failed(next.state, { kind: 'index' }, 30).end, { error: 'down' });
    });

    it('has a hint only if there has never been an answer', () => {
      const foreign: Recovery = { kind: 'retry', hint: 'is the URL right?' };
      strictEqual(failed(stateWith({ index: '7' }), foreign).state.status.hint, 'is the URL right?');
      strictEqual(failed(live, foreign).state.status.hint, undefined);
    });

    it('after a failure backs off', () => {
      const next = failed(live, { kind: 'retry' }, 20);
      deepStrictEqual(summary(next, 20), ['failed', 250, ['status']]);
      deepStrictEqual(statusOf(next), ['retrying', 20, 1, 270, 'down']);
      // A wake may cut the wait short, but not what the pace asks for.
      strictEqual(next.state.rest.earliest, 20);
    });

    it('after a failure waits for at least as long as the service asked, and no wake cuts that short', () => {
      const next = failed(live, { kind: 'retry', after: 5_000, offline: true }, 20);
      deepStrictEqual(summary(next, 20), ['asked', 5_250, ['status']]);
      deepStrictEqual(statusOf(next), ['offline', 20, 1, 5_270, 'down']);
      strictEqual(next.state.rest.earliest, 5_270);
    });

    it('that ends the watch sets the status to closed, has the error, and leaves the pace to who subscribes again', () => {
      const next = failed({ ...live, paidUntil: 4_000 }, { kind: 'end' }, 20);
      deepStrictEqual(summary(next, 20), ['ended', 980, ['status']]);
      deepStrictEqual(statusOf(next), ['closed', 20, 0, undefined, 'down']);
      deepStrictEqual(next.end, { error: 'down' });
    });

    it('of a feed that is left changes nothing; one whose queue became too old has a gap', () => {
      deepStrictEqual(turn(live, { kind: 'left' }, 20), { signals: [], state: live, why: 'left' });
      const due = { reason: 'silence', index: '7' } as const;
      const dropped = { signals: [], state: { ...live, due }, why: 'left' };
      deepStrictEqual(turn(live, { kind: 'expired' }, 20), dropped);
    });
  });

  describe('a poll that is held', () => {
    const held = (state: WatchState) => {
      const { signals } = turn(state, { kind: 'held' }, 40);
      return signals.flatMap(signal =>
        signal.kind === 'status' ? [signal.status.state, signal.status.since, signal.status.attempt] : [],
      );
    };

    it('shows that the service is well after a start or a failure that came at once; it does not end the backoff', () => {
      deepStrictEqual(held(retrying), ['live', 40, 3]);
      deepStrictEqual(held(live), []);
      deepStrictEqual(held(failed(retrying, { kind: 'retry' }, 1_999).state), ['live', 40, 4]);
    });

    it('shows nothing after a cut, or after a failure that took long, until there is an answer or a return', () => {
      for (const cut of [
        ...[turn(retrying, { kind: 'timeout' }).state, turn(retrying, { kind: 'outdated' }).state],
        ...[failed(retrying, { kind: 'cut' }).state, failed(retrying, { kind: 'retry' }, 2_000).state],
      ]) {
        deepStrictEqual(held(cut), []);
        for (const ending of [got(answer('8')), { kind: 'nothing' }, { kind: 'returned' }] as const)
          deepStrictEqual(held({ ...turn(cut, ending, 30).state, status: retrying.status }), ['live', 40, 3]);
      }
    });
  });

  describe('a service that says nothing', () => {
    const quiet = (state: WatchState, at: number) => failed(state, { kind: 'cut' }, at).state.status;
    const HINT = 'cutting polls off';

    it('is retried with a hint at the end of the poll in which 150 s have passed', () => {
      strictEqual(quiet(live, 149_999), live.status);
      const { state, hint, nextTry, error } = quiet(live, 150_000);
      deepStrictEqual([state, nextTry, error], ['retrying', 150_000, undefined]);
      ok(hint?.includes(HINT));
    });

    it('has said something with any answer of its own, and with the return of a subscriber the time begins again', () => {
      for (const ending of [got(answer('8')), got(answer('8', 'x')), { kind: 'nothing' }] as const) {
        const { state } = turn(live, ending, 100_000);
        deepStrictEqual(
          [quiet(state, 249_999).hint, quiet(state, 250_000).hint?.includes(HINT)],
          [undefined, true],
        );
      }
      strictEqual(quiet(turn(live, { kind: 'returned' }, 100_000).state, 249_999).hint, undefined);
      ok(quiet(failed(live, { kind: 'retry' }, 100_000).state, 150_000).hint);
    });

    it('is retried at once if the poll had no index, since the service answers those at once', () => {
      ok(quiet(stateWith(), 70_000).hint);
    });

    it('keeps the count of failures', () => {
      deepStrictEqual([quiet(retrying, 150_000).attempt, quiet(retrying, 150_000).since], [3, 10]);
    });
  });

  describe('a cut of the poll that was to get what there still is', () => {
    it('drops the index: a service that has forgotten it may hold a poll with it', () => {
      const asked = sent(live, 297_001);
      deepStrictEqual(asked.due, { reason: 'silence', index: '7' });
      const { index, due } = failed(asked, { kind: 'cut' }, 307_001).state;
      deepStrictEqual([index, due], [undefined, { reason: 'silence', index: '7' }]);
      strictEqual(failed(asked, { kind: 'retry' }, 307_001).state.index, '7');
      strictEqual(failed(sent(live, 297_000), { kind: 'cut' }, 307_000).state.index, '7');
    });

    it('does not drop an index whose gap has been emitted', () => {
      const emitted = { reason: 'silence', at: 300_000, index: '7' } as const;
      const due = { reason: 'silence', index: '7', emitted } as const;
      strictEqual(failed({ ...live, due }, { kind: 'cut' }, 307_000).state.index, '7');
    });
  });

  describe('a feed that is returned to', () => {
    const returned = (state: WatchState, at: number, resume = true) =>
      turn(state, { kind: 'returned' }, at, { ...laws, resume });

    it('goes on from where it was, and is connecting', () => {
      const { state, why } = returned(live, 500);
      deepStrictEqual([state.index, state.due, state.rest.until, why], ['7', undefined, 500, 'returned']);
      deepStrictEqual(statusOf(returned(live, 500)), ['connecting', 500, 0, undefined, undefined]);
      strictEqual(state.status.lastAnswer, 0);
    });

    it('starts from now with a gap without resume, and without one if it was nowhere', () => {
      const { index, due } = returned(live, 500, false).state;
      deepStrictEqual([index, due], [undefined, { reason: 'unwatched', index: '7' }]);
      strictEqual(returned(stateWith(), 500, false).state.due, undefined);
      const dropped = stateWith({ due: { reason: 'silence', index: '7' } });
      deepStrictEqual(returned(dropped, 500, false).state.due?.reason, 'unwatched');
    });

    it('waits as long as the service asked and the pace allows, and says so if there was an error', () => {
      const asked = { ...retrying, rest: { until: 9_000, earliest: 2_000, isWoken: true } };
      const back = returned(asked, 500).state;
      deepStrictEqual(back.rest, { until: 2_000, earliest: 2_000 });
      const { state, attempt, nextTry, error, lastAnswer } = back.status;
      deepStrictEqual([state, attempt, nextTry, error, lastAnswer], ['retrying', 3, 2_000, 'down', 5]);
      deepStrictEqual(statusOf(returned(asked, 5_000)), ['connecting', 5_000, 0, undefined, undefined]);
      const paced = returned({ ...live, paidUntil: 5_000 }, 500);
      deepStrictEqual([paced.state.rest.until, paced.state.status.state], [2_000, 'connecting']);
    });

    it('polls on a new connection if the machine slept meanwhile, when nothing listened', () => {
      const fresh = (at: number, monotonic: number) =>
        turn(live, { kind: 'returned' }, when(at, monotonic)).state.needsFreshConnection;
      deepStrictEqual(
        [fresh(60_000, 60_000), fresh(60_000, 59_000), fresh(60_000, 58_999)],
        [...[false, false, true]],
      );
    });
  });

  describe('polls without news', () => {
    const ending = constantFrom(
      ...([{ kind: 'nothing' }, { kind: 'timeout' }, { kind: 'woken' }, { kind: 'outdated' }] as const),
      ...([{ kind: 'failure', error: 'down' }, { kind: 'left' }, { kind: 'returned' }] as const),
      ...[got(answer('7')), got(answer('', 'x')), got(answer('9', 'x'))],
    );
    const by = { ...laws, backoff: { initial: 0, max: 0 }, random: () => 0 };
    /** After each ending, the next poll is sent as soon as it is due. Returns when each was sent. */
    const run = (endings: readonly (readonly [ReturnType<typeof got>, number])[]) => {
      let state = sent(stateWith(), 0, by);
      state = turn(state, got(answer('1', 'x')), 0, by).state;
      const times: number[] = [];
      let at = 0;
      for (const [how, held] of endings) {
        at = Math.max(at, state.rest.until);
        times.push(at);
        state = sent(state, at, by);
        state = turn(state, how, (at += held), by).state;
        if (how.kind === 'left') state = turn(state, { kind: 'returned' }, at, by).state;
      }
      return times;
    };

    it('never exceed the burst, one more, and one per interval, however they end', () => {
      check(
        property(array(tuple(ending, integer({ min: 0, max: 1_500 })), { maxLength: 200 }), endings => {
          const times = run(endings);
          for (const [i, start] of times.entries()) {
            const within = times.filter((at, j) => j >= i && at - start < 10_000).length;
            ok(within <= 3 + 1 + 9, `${within} in 10 s`);
          }
        }),
      );
    });

    it('never wait longer than an interval because of the pace, even if both clocks jump', () => {
      check(
        property(array(tuple(ending, oneof(constant(0), integer({ min: 0, max: 2 ** 40 })))), jumps => {
          let state = stateWith();
          let at = 0;
          for (const [how, jump] of jumps) {
            state = sent(state, Math.max((at += jump), state.rest.until), by);
            at = state.askedAt.at;
            state = turn(state, how, at, by).state;
            if (how.kind === 'left') state = turn(state, { kind: 'returned' }, at, by).state;
            const wait = state.rest.until - at;
            ok(wait <= laws.minInterval, `${wait}`);
          }
        }),
      );
    });

    it('are paid for when they are sent; news that is taken and committed is refunded', () => {
      const many = (count: number, how: (n: number) => ReturnType<typeof got>) => {
        let state = stateWith();
        for (let n = 0; n < count; n++) state = turn(sent(state, 0), how(n), 0).state;
        return state.rest.until;
      };
      deepStrictEqual(
        [many(3, () => ({ kind: 'nothing' })), many(4, () => ({ kind: 'nothing' }))],
        [0, 1_000],
      );
      deepStrictEqual(
        [many(500, n => got(answer(`${n}`, `${n}`))), many(4, () => got(answer('1', 'x')))],
        [0, 0],
      );
      deepStrictEqual(
        many(5, () => got(answer('1', 'x'))),
        1_000,
      );
    });
  });
});
