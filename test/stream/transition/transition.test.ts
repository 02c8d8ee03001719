import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { array, assert as check, constant, constantFrom, integer, oneof, property, tuple } from 'fast-check';
import { StatusError, type Recovery } from '../../../src/error/index.js';
import { answer } from '../../poll-script.js';
import {
  cut,
  failed,
  got,
  laws,
  sent,
  stateWith,
  turn,
  when,
  type FlatEvent,
  type FlatState,
  type FlatTransition,
} from '../../transition.js';

/** Why it waits, how long from `at`, and the kinds of its signals. */
const summary = ({ why, signals, state: { rest } }: FlatTransition, at: number) => [
  why,
  rest.until - at,
  signals.map(({ kind }) => kind),
];
const statusOf = ({ signals, state: { status } }: FlatTransition) => {
  deepStrictEqual(signals, signals.length ? [{ kind: 'status', status }] : []);
  return [status.state, status.since, status.attempt, status.nextTry, status.error];
};

const live = stateWith({ index: '7', isAnswered: true });
const retrying = stateWith({
  index: '7',
  attempt: 3,
  status: {
    state: 'retrying',
    since: 10,
    lastAnswer: 5,
    attempt: 3,
    nextTry: 90,
    error: 'down',
    hint: undefined,
  },
});

describe('the laws of the watch', () => {
  describe('a transition', () => {
    it('ends no poll when a poll is sent or held', () => {
      for (const kind of ['sent', 'held'] as const) strictEqual(turn(live, { kind }).why, undefined);
    });

    it('polls on a new connection after a wake, within a second', () => {
      const woken = turn(live, { kind: 'woken' }, 20);
      deepStrictEqual(summary(woken, 20), ['woken', 500, []]);
      const { index, needsFreshConnection } = woken.state;
      deepStrictEqual([index, needsFreshConnection], ['7', true]);
    });

    it('spreads the next polls over a longer time after a wake or a timeout if there are many watches', () => {
      for (const kind of ['woken', 'timeout'] as const) {
        const { state } = turn(live, { kind }, 20, laws, 10_000);
        strictEqual(state.rest.until, 5_020);
      }
    });

    it('keeps to the pace after a wake during a poll', () => {
      deepStrictEqual(summary(turn({ ...live, paidUntil: 5_000 }, { kind: 'woken' }, 20), 20), [
        'woken',
        1_980,
        [],
      ]);
    });

    it('shortens a wait after a wake, never lengthens it, and says when the next poll comes', () => {
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

    it('makes the status live after any answer, and after a poll that completes without one', () => {
      deepStrictEqual(statusOf(turn(live, { kind: 'completed' }, 20)), ['live', 0, 0, undefined, undefined]);
      for (const ending of [{ kind: 'completed' }, got(answer('8')), got(answer('8', 'x'))] as const)
        deepStrictEqual(statusOf(turn(retrying, ending, 20)), ['live', 20, 0, undefined, undefined]);
      const idle = failed(retrying, { kind: 'no_news' }, 20, 2_000);
      deepStrictEqual([statusOf(idle), idle.why], [['live', 20, 0, undefined, undefined], 'no_news']);
    });

    it('keeps the status after a cut, which is no failure and no contact', () => {
      for (const next of [turn(retrying, { kind: 'timeout' }, 20), cut(retrying, 20)]) {
        deepStrictEqual([next.why, next.signals, next.state.status], ['cut', [], retrying.status]);
        deepStrictEqual([next.state.indexAt, next.state.contactAt], [retrying.indexAt, retrying.contactAt]);
      }
    });

    it('polls on a new connection after a timeout, but not after another cut', () => {
      strictEqual(turn(live, { kind: 'timeout' }, 20).state.needsFreshConnection, true);
      strictEqual(cut(live, 20).state.needsFreshConnection, false);
    });

    it('spreads the next polls over 300 ms after a cut, since a balancer that restarts ends all of them', () => {
      strictEqual(cut(live, 20).state.rest.until, 170);
    });

    it('waits a second after a cut if a page asks for more, which no wake shortens', () => {
      const { state, why } = failed(live, { kind: 'retry', mayBeCut: true, retryAfter: 9_000 }, 6_000);
      deepStrictEqual(
        [why, state.rest, state.status],
        ['cut', { until: 7_000, earliest: 7_000 }, live.status],
      );
    });

    it('waits after a cut by a 429 for as long as that asks, but 15 minutes at most', () => {
      const error = new StatusError(429, { method: 'GET', url: 'https://a.example/' });
      const settings = {
        ...laws,
        recovery: () => ({ kind: 'retry', mayBeCut: true, retryAfter: 86_400_000 }) as const,
      };
      const { state, why } = turn(live, { kind: 'failure', error, heldFor: 6_000 }, 6_000, settings);
      deepStrictEqual([why, state.rest.until], ['cut', 6_000 + 900_000]);
    });

    it('keeps the status after a standstill of the process that was longer than the timeout', () => {
      const standstill = 134_000;
      const old = stateWith({ index: '5', isSure: false });
      for (const state of [old, stateWith()]) {
        const next = turn(state, { kind: 'timeout' }, standstill);
        deepStrictEqual([next.why, next.signals, next.state.status], ['cut', [], state.status]);
        strictEqual(next.state.heldAfter, state.heldAfter);
        strictEqual(next.state.needsFreshConnection, true);
      }
      const lost = failed(old, { kind: 'retry', mayBeCut: true }, standstill);
      deepStrictEqual([lost.signals, lost.state.status], [[], old.status]);
      // A poll that is in time says so.
      strictEqual(turn(old, { kind: 'timeout' }, 70_000).state.status.state, 'retrying');
    });

    it('keeps the index from which a feed without `resume` is to begin, until it has polled', () => {
      const NEVER = { at: -Infinity, monotonic: -Infinity };
      const settings = { ...laws, resume: false };
      const first = stateWith({ index: '5', askedAt: NEVER });
      strictEqual(turn(first, { kind: 'returned' }, 10, settings).state.index, '5');
      strictEqual(turn(stateWith({ index: '5' }), { kind: 'returned' }, 10, settings).state.index, undefined);
    });

    it('is a cut after a poll that was held for 5 s and that an intermediary may have ended, otherwise a failure', () => {
      const why = (recovery: Recovery, heldFor: number, state = live) =>
        failed(state, recovery, 6_000, heldFor).why;
      const ended: Recovery = { kind: 'retry', mayBeCut: true };
      deepStrictEqual([why(ended, 5_000), why(ended, 4_999)], ['cut', 'failed']);
      deepStrictEqual(
        [why({ kind: 'retry' }, 40_000), why(ended, 40_000, stateWith())],
        ['failed', 'failed'],
      );
    });

    it('is a failure if an answer of the service had begun, and a cut if it was a page of a proxy', () => {
      const recovery = (): Recovery => ({ kind: 'retry', mayBeCut: true });
      const broken = (error: unknown) =>
        turn(live, { kind: 'failure', error, heldFor: 9_000, hasArrived: true }, 9_000, { ...laws, recovery })
          .why;
      const page = new StatusError(504, { method: 'GET', url: 'https://api.example/' });
      deepStrictEqual([broken('body'), broken(page)], ['failed', 'cut']);
    });

    it('is contact if the service gave the poll up after 2 s or more, and a stale answer before', () => {
      const late = failed(retrying, { kind: 'no_news' }, 2_000);
      deepStrictEqual([late.why, late.state.status.attempt, late.state.isAgeUnknown], ['no_news', 0, false]);
      const early = failed(retrying, { kind: 'no_news' }, 1_999);
      deepStrictEqual(
        [early.why, early.state.status, early.state.isAgeUnknown],
        ['stale', retrying.status, true],
      );
      strictEqual(failed({ ...retrying, index: undefined }, { kind: 'no_news' }, 1_999).why, 'failed');
    });

    it('is a failure after a timeout without an index, which the service answers at once', () => {
      const { why, state } = turn(stateWith(), { kind: 'timeout' }, 70_000);
      deepStrictEqual(
        [why, state.status.state, state.status.hint?.includes('does the first request wait')],
        ['failed', 'retrying', true],
      );
    });

    it('drops an index at once that is certainly to blame, and backs off if there is none', () => {
      const refused: Recovery = { kind: 'retry', dropsIndex: true };
      const next = failed(live, refused, 20);
      deepStrictEqual(
        [next.state.index, next.state.due, next.why],
        [undefined, { reason: 'index_rejected', index: '7' }, 'failed'],
      );
      const without = failed(stateWith(), refused);
      deepStrictEqual([without.state.due, without.end], [undefined, undefined]);
    });

    it('polls once without the index after the service rejects it, and then ends', () => {
      const next = failed(live, { kind: 'index' }, 20);
      deepStrictEqual([next.state.index, next.end], [undefined, undefined]);
      deepStrictEqual(failed(next.state, { kind: 'index' }, 30).end, { kind: 'error', error: 'down' });
    });

    it('has a hint only if there has never been an answer', () => {
      const foreign: Recovery = { kind: 'retry', hint: 'is the URL right?' };
      strictEqual(failed(stateWith({ index: '7' }), foreign).state.status.hint, 'is the URL right?');
      strictEqual(failed(live, foreign).state.status.hint, undefined);
    });

    it('backs off after a failure', () => {
      const next = failed(live, { kind: 'retry' }, 20);
      deepStrictEqual(summary(next, 20), ['failed', 250, ['status']]);
      deepStrictEqual(statusOf(next), ['retrying', 20, 1, 270, 'down']);
      // A wake may cut the wait short, but not what the pace asks for.
      strictEqual(next.state.rest.earliest, 20);
    });

    it('waits after a failure for at least as long as the service asked, which no wake shortens', () => {
      const next = failed(live, { kind: 'retry', retryAfter: 5_000, offline: true }, 20);
      deepStrictEqual(summary(next, 20), ['retry_after', 5_250, ['status']]);
      deepStrictEqual(statusOf(next), ['offline', 20, 1, 5_270, 'down']);
      strictEqual(next.state.rest.earliest, 5_270);
    });

    it('closes the status at the end of the watch, has its error, and keeps the pace for the next subscriber', () => {
      const next = failed({ ...live, paidUntil: 4_000 }, { kind: 'end' }, 20);
      deepStrictEqual(summary(next, 20), ['ended', 980, ['status']]);
      deepStrictEqual(statusOf(next), ['closed', 20, 0, undefined, 'down']);
      deepStrictEqual(next.end, { kind: 'error', error: 'down' });
    });

    it('is idle if a feed is left, and otherwise as before; and makes a gap due if its queue expires', () => {
      const { state, why } = turn(live, { kind: 'left' }, 20);
      const { status } = state;
      deepStrictEqual({ why, state: { ...state, status: live.status } }, { why: 'paused', state: live });
      deepStrictEqual({ state: status.state, since: status.since }, { state: 'idle', since: 20 });
      const due = { reason: 'silence', index: '7' } as const;
      const dropped = { signals: [], state: { ...live, due }, why: 'paused' };
      deepStrictEqual(turn(live, { kind: 'expired' }, 20), dropped);
    });
  });

  describe('a poll that is held', () => {
    const held = (state: FlatState) => {
      const { signals } = turn(state, { kind: 'held' }, 40);
      return signals.flatMap(signal =>
        signal.kind === 'status' ? [signal.status.state, signal.status.since, signal.status.attempt] : [],
      );
    };

    it('shows that the service is well, but does not end the backoff', () => {
      deepStrictEqual(held(retrying), ['live', 40, 3]);
      deepStrictEqual(held(live), []);
      deepStrictEqual(held(failed(retrying, { kind: 'retry' }, 1_999).state), ['live', 40, 4]);
    });

    it('shows nothing while the browser says that it is offline', () => {
      deepStrictEqual(held(turn(retrying, { kind: 'offline' }, 20).state), []);
    });

    it('has to be held for 2 s, or for 2 s longer than the one before, if that ended without contact', () => {
      strictEqual(retrying.heldAfter, 2_000);
      strictEqual(failed(retrying, { kind: 'retry' }, 3_000).state.heldAfter, 5_000);
      strictEqual(cut(retrying, 30_000).state.heldAfter, 32_000);
      const timedOut = turn(retrying, { kind: 'timeout' }, 70_000).state;
      strictEqual(timedOut.heldAfter, 72_000);
      for (const ending of [got(answer('8')), { kind: 'completed' }, { kind: 'returned' }] as const)
        strictEqual(turn(timedOut, ending, 80_000).state.heldAfter, 2_000);
    });
  });

  describe('a service that says nothing', () => {
    const quiet = (state: FlatState, at: number) => cut(sent(state, at - 40_000), at).state.status;
    const HINT = 'cut polls off';

    it('is retried with a hint at the end of the poll in which 150 s have passed', () => {
      strictEqual(quiet(live, 149_999), live.status);
      const { state, hint, nextTry, error } = quiet(live, 150_000);
      deepStrictEqual([state, nextTry, error], ['retrying', 150_150, undefined]);
      ok(hint?.includes(HINT));
    });

    it('is in contact again after any answer of its own, but not after a failure or an echo', () => {
      for (const ending of [got(answer('8')), got(answer('8', 'x')), { kind: 'completed' }] as const) {
        const { state } = turn(sent(live, 60_000), ending, 100_000);
        deepStrictEqual(
          [quiet(state, 249_999).hint, quiet(state, 250_000).hint?.includes(HINT)],
          [undefined, true],
        );
      }
      ok(quiet(failed(live, { kind: 'retry' }, 100_000).state, 150_000).hint);
      const echo = (at: number) => turn(sent(live, at), got(answer('7')), at).state.status;
      deepStrictEqual([echo(149_999), echo(150_000).state], [live.status, 'retrying']);
      ok(echo(150_000).hint?.includes('cache'));
    });

    it('keeps the count of failures', () => {
      deepStrictEqual([quiet(retrying, 150_000).attempt, quiet(retrying, 150_000).since], [3, 10]);
    });
  });

  describe('an index for which a gap is due', () => {
    it('is dropped by any end of a poll that is not contact, once the last contact is 297 s ago, too', () => {
      const asked = sent(live, 297_001);
      deepStrictEqual(asked.due, { reason: 'silence', index: '7' });
      for (const { state } of [
        cut(asked, 307_001),
        failed(asked, { kind: 'retry' }, 297_002),
        turn(asked, { kind: 'timeout' }, 367_001),
        turn(asked, got(answer('7')), 297_002),
      ])
        deepStrictEqual([state.index, state.due], [undefined, { reason: 'silence', index: '7' }]);
      // As long as the service may know it, it is kept.
      strictEqual(failed(sent(live, 290_000), { kind: 'retry' }, 297_000).state.index, '7');
      const spoken = sent({ ...live, indexAt: when(-200_000) }, 100_000);
      deepStrictEqual([spoken.due?.reason, cut(spoken, 297_000).state.index], ['silence', '7']);
      strictEqual(cut(spoken, 297_001).state.index, undefined);
    });

    it('is kept if the gap has been emitted', () => {
      const emitted = { reason: 'silence', at: 300_000, index: '7' } as const;
      const due = { reason: 'silence', index: '7', emitted } as const;
      strictEqual(cut({ ...live, due, gapAt: when(300_000) }, 307_000).state.index, '7');
    });

    it('has a last chance before that, 2 to 7 s before the end, instead of a longer wait', () => {
      const backoff = { initial: 30_000, max: 30_000 };
      const waitAt = (at: number) =>
        turn(sent(live, at), { kind: 'failure', error: 'down', heldFor: 0 }, at, {
          ...laws,
          backoff,
          recovery: () => ({ kind: 'retry' }),
        }).state.rest.until - at;
      deepStrictEqual([waitAt(200_000), waitAt(290_000), waitAt(293_000)], [15_000, 2_500, 15_000]);
    });
  });

  describe('a browser that is offline', () => {
    const offline = turn(live, { kind: 'offline' }, 20);

    it('makes the status offline until the next contact, with a hint, although polls go on', () => {
      deepStrictEqual(statusOf(offline), ['offline', 20, 0, undefined, undefined]);
      ok(offline.state.status.hint?.includes('browser'));
      const retried = failed(offline.state, { kind: 'retry' }, 40).state.status;
      deepStrictEqual([retried.state, retried.attempt, retried.error], ['offline', 1, 'down']);
      strictEqual(turn(offline.state, got(answer('8')), 60).state.status.state, 'live');
      strictEqual(turn(offline.state, { kind: 'completed' }, 60).state.isOffline, false);
    });

    it('does not make a watch poll, and ends no wait', () => {
      deepStrictEqual([offline.why, offline.state.rest], [undefined, live.rest]);
    });

    it('is believed once when it is online again, if a poll is then held for 5 s', () => {
      const online = turn(offline.state, { kind: 'online' }, 40);
      deepStrictEqual(
        [...statusOf(online), online.state.heldAfter],
        ['connecting', 40, 0, undefined, undefined, 5_000],
      );
      deepStrictEqual([online.why, online.state.rest], [undefined, live.rest]);
      strictEqual(turn(online.state, { kind: 'held' }, 5_040).state.status.state, 'live');
      // The last word is recent, but says nothing of this network.
      strictEqual(turn(online.state, { kind: 'timeout' }, 70_000).state.status.state, 'retrying');
      const again = turn(turn(online.state, { kind: 'offline' }, 50).state, { kind: 'online' }, 60);
      deepStrictEqual([again.state.status.state, again.state.heldAfter], ['connecting', Infinity]);
      const cut = turn(again.state, { kind: 'timeout' }, 70_000);
      deepStrictEqual([cut.state.status.state, cut.state.heldAfter], ['retrying', Infinity]);
      deepStrictEqual(turn(cut.state, { kind: 'held' }, 80_000).signals, []);
      const heard = turn(cut.state, got(answer('8')), 80_000).state;
      deepStrictEqual([heard.status.state, heard.isSure], ['live', true]);
    });

    it('means nothing to a watch that was not offline', () => {
      deepStrictEqual(turn(live, { kind: 'online' }, 20).state, live);
    });
  });

  describe('a poll that waits for the quota of its client', () => {
    it('keeps its state, and says until when, and why', () => {
      const { state, why } = turn(live, { kind: 'waiting', until: 5_000 }, 20);
      deepStrictEqual([why, state.status.state, state.status.nextTry], [undefined, 'live', 5_000]);
      ok(state.status.hint?.includes('quota'));
      const troubled = turn(retrying, { kind: 'waiting', until: 5_000 }, 20).state.status;
      deepStrictEqual([troubled.state, troubled.error, troubled.attempt], ['retrying', 'down', 3]);
    });
  });

  describe('a feed that is returned to', () => {
    const returned = (state: FlatState, at: number, resume = true) =>
      turn(state, { kind: 'returned' }, at, { ...laws, resume });

    it('goes on from where it was, and is connecting', () => {
      const { state, why } = returned(live, 500);
      deepStrictEqual([state.index, state.due, state.rest.until, why], ['7', undefined, 500, 'resumed']);
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

    it('waits as long as the service asked and the pace requires, and shows the wait after an error', () => {
      const asked = { ...retrying, rest: { until: 9_000, earliest: 2_000 } };
      const back = returned(asked, 500).state;
      deepStrictEqual(back.rest, { until: 2_000, earliest: 2_000 });
      const { state, attempt, nextTry, error, lastAnswer } = back.status;
      deepStrictEqual([state, attempt, nextTry, error, lastAnswer], ['retrying', 3, 2_000, 'down', 5]);
      deepStrictEqual(statusOf(returned(asked, 5_000)), ['connecting', 5_000, 0, undefined, undefined]);
      const paced = returned({ ...live, paidUntil: 5_000 }, 500);
      deepStrictEqual([paced.state.rest.until, paced.state.status.state], [2_000, 'connecting']);
    });

    it('polls on a new connection if the machine slept while nothing listened', () => {
      const fresh = (at: number, monotonic: number) =>
        turn(live, { kind: 'returned' }, when(at, monotonic)).state.needsFreshConnection;
      deepStrictEqual(
        [fresh(60_000, 60_000), fresh(60_000, 59_000), fresh(60_000, 58_999)],
        [false, false, true],
      );
    });
  });

  describe('polls without news', () => {
    const ending = constantFrom<FlatEvent>(
      { kind: 'completed' },
      { kind: 'timeout' },
      { kind: 'woken' },
      { kind: 'failure', error: 'down', heldFor: 0 },
      { kind: 'left' },
      { kind: 'returned' },
      got(answer('7')),
      got(answer('', 'x')),
      got(answer('9', 'x')),
    );
    const by = { ...laws, backoff: { initial: 0, max: 0 }, random: () => 0 };
    /**
     * After each ending, the next poll is sent as soon as it is due. Returns when each was sent.
     */
    const run = (endings: readonly (readonly [FlatEvent, number])[]) => {
      let state = sent(stateWith(), 0, by);
      state = turn(state, got(answer('1', 'x')), 0, by).state;
      const times: number[] = [];
      let at = 0;
      for (const [how, held] of endings) {
        at = Math.max(at, state.rest.until);
        times.push(at);
        state = sent(state, at, by);
        at += held;
        state = turn(state, how, at, by).state;
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
            at += jump;
            state = sent(state, Math.max(at, state.rest.until), by);
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
      const many = (count: number, how: (n: number) => FlatEvent) => {
        let state = stateWith();
        for (let n = 0; n < count; n++) state = turn(sent(state, 0), how(n), 0).state;
        return state.rest.until;
      };
      deepStrictEqual(
        [many(3, () => ({ kind: 'completed' })), many(4, () => ({ kind: 'completed' }))],
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
