import { deepStrictEqual, strictEqual } from 'node:assert';
import { assert as check, bigInt, property } from 'fast-check';
import type { Reading } from '../../../src/stream/index.js';
import { answer, type Answer } from '../../poll-script.js';
import {
  cut,
  failed,
  got,
  laws,
  lawsOf,
  sent,
  stateWith,
  turn,
  when,
  type FlatState,
  type FlatTransition,
} from '../../transition.js';

/** A watch with an index, whose service was heard at 0, and whose poll is sent at 40 s. */
const asked = sent(stateWith({ index: '5', isAnswered: true }), 40_000);

/** The state after the same answer with news came twice, the second time at once. */
const news = turn(asked, got(answer('6', 'x')), 41_000).state;

const ageAt = (state: FlatState, at: number) => at - state.indexAt.at;

/** What a turn delivers, in order. */
const kindsOf = ({ delivery }: FlatTransition) => delivery?.signals.map(({ kind }) => kind);

describe('an answer', () => {
  it('leaves no trouble to remember', () => {
    const trouble = {
      ...asked,
      isAnswered: false,
      isAgeUnknown: true,
      isOffline: true,
      heldAfter: 32_000,
      needsFreshConnection: true,
    };
    for (const ending of [got(answer('6', 'x')), got(answer('6')), { kind: 'completed' }] as const) {
      const { isAnswered, isAgeUnknown, isOffline, heldAfter, needsFreshConnection, contactAt } = turn(
        trouble,
        ending,
        50_000,
      ).state;
      deepStrictEqual(
        [isAnswered, isAgeUnknown, isOffline, heldAfter, needsFreshConnection, contactAt],
        [true, false, false, 2_000, false, when(50_000)],
      );
    }
  });

  it('is delivered as it is if it has news, and the next poll is due at once', () => {
    const given = answer('6', 'x');
    const { why, delivery, signals, state } = turn(asked, got(given), 50_000);
    deepStrictEqual([why, signals, state.rest.until], ['news', [], 50_000]);
    deepStrictEqual(
      [delivery?.answer, delivery?.signals, delivery?.gap],
      [given, [{ kind: 'answer', answer: given, checkpoint: delivery?.checkpoint }], undefined],
    );
    strictEqual(state.status.lastAnswer, 50_000);
  });

  it('is acknowledged as it is if it is empty, and without its events if it repeats the last one', () => {
    const by = { ...laws, withoutNews: ({ watch }: Answer) => ({ events: [], watch }) };
    const idle = turn(asked, got(answer('6')), 50_000, by);
    deepStrictEqual(
      [idle.why, kindsOf(idle), idle.delivery?.answer],
      ['no_news', ['checkpoint'], answer('6')],
    );
    const repeat = turn(sent(news, 60_000), got(answer('7', 'x')), 90_000, by);
    deepStrictEqual(
      [repeat.why, kindsOf(repeat), repeat.delivery?.answer, repeat.state.index],
      ['no_news', ['checkpoint'], answer('7'), '7'],
    );
  });

  it('repeats the last one with news, whatever came in between without any', () => {
    let { state } = turn(sent(news, 60_000), got(answer('7')), 60_000);
    strictEqual(turn(sent(state, 61_000), got(answer('8', 'x')), 61_000).why, 'no_news');
    state = turn(sent(state, 61_000), got(answer('8', 'y')), 61_000).state;
    strictEqual(turn(sent(state, 62_000), got(answer('9', 'x')), 62_000).why, 'news');
  });

  it('is compared by its text if the watch is given one', () => {
    const by = lawsOf({}, { keyOf: (_, text) => text });
    const { state } = turn(asked, got(answer('6', 'x'), 'one'), 50_000, by);
    strictEqual(turn(state, got(answer('6', 'y'), 'one'), 51_000, by).why, 'no_news');
    strictEqual(turn(state, got(answer('6', 'x'), 'two'), 51_000, by).why, 'news');
  });

  it('is not compared with those of before a resume, and the first one is always news', () => {
    const resumed = turn(news, {
      kind: 'decided',
      decision: { watch: 'resume', from: '5' },
      acknowledging: turn(asked, got(answer('6', 'x')), 41_000),
    }).state;
    strictEqual(turn(resumed, got(answer('6', 'x')), 42_000).why, 'news');
    const by = lawsOf({}, { keyOf: () => undefined });
    strictEqual(turn(asked, got(answer('6', 'x')), 42_000, by).why, 'news');
  });

  it('has an index that is sent back as a string, even if it is a number', () => {
    const numbered = { events: [], watch: { index: 7 } } as unknown as Answer;
    strictEqual(turn(stateWith(), got(numbered)).state.index, '7');
    strictEqual(turn(stateWith(), got(answer('007'))).state.index, '007');
  });

  it('may have its index anywhere', () => {
    const by = lawsOf({ read: ({ events }) => ({ index: events[0], key: events[0] }) });
    strictEqual(turn(stateWith(), got(answer('6', 'x')), 0, by).state.index, 'x');
    const shapeless = { events: [] } as unknown as Answer;
    strictEqual(turn(stateWith(), got(shapeless)).state.index, undefined);
  });
});

describe('the gap before an answer', () => {
  const gapOf = (before: string | undefined, index: string) => {
    const state = stateWith(before === undefined ? {} : { index: before });
    return turn(state, got(answer(index, 'x')), 9).delivery?.gap;
  };

  it('says that its index is older: decimal ones of any length are compared, without converting them to numbers', () => {
    const index = bigInt({ min: 0n, max: 10n ** 40n });
    check(
      property(index, index, (a, b) => {
        strictEqual(gapOf(`00${b}`, String(a))?.reason, a < b ? 'index_backwards' : undefined);
      }),
    );
    deepStrictEqual(gapOf('7', '6'), { reason: 'index_backwards', index: '7', at: 9 });
  });

  it('is not about indexes that are no decimals', () => {
    for (const [before, index] of [
      ['b', 'a'],
      ['b', '1'],
      ['1', '-2'],
      ['2', '1.5'],
      ['77', '-6'],
      ['77', '6-'],
      ['~7', '66'],
      ['7~', '66'],
      [undefined, '1'],
    ] as const)
      strictEqual(gapOf(before, index), undefined);
  });

  it('is that which was due, and not two: the older index is adopted all the same', () => {
    const due = { reason: 'silence', index: '5' } as const;
    const { delivery, state } = turn({ ...asked, due }, got(answer('4', 'x')), 41_000);
    deepStrictEqual(delivery?.gap, { ...due, at: 41_000 });
    deepStrictEqual([state.index, state.due], ['4', undefined]);
  });

  it('is also before an answer without news', () => {
    strictEqual(turn(asked, got(answer('4')), 41_000).delivery?.gap?.reason, 'index_backwards');
  });

  it('is the one that has been emitted, if the answer after it was not acknowledged', () => {
    const emitted = { reason: 'silence', index: '5', at: 7 } as const;
    const due = { reason: 'silence', index: '5', emitted } as const;
    const again = turn({ ...asked, due }, got(answer('6', 'x')), 41_000);
    deepStrictEqual([again.delivery?.gap, kindsOf(again)], [emitted, ['answer']]);
  });

  it('is due after an answer without a usable index, and the next poll is not sent at once', () => {
    for (const index of ['', 'é'.repeat(342), '7'.repeat(2_049), '\ud800']) {
      const { state, delivery } = turn(asked, got(answer(index, 'x')), 41_000);
      deepStrictEqual([state.index, state.due], [undefined, { reason: 'index_missing', index: '5' }]);
      strictEqual(state.rest.until, 42_000);
      deepStrictEqual(delivery?.checkpoint.index, '');
    }
    strictEqual(turn(asked, got(answer('é'.repeat(341)))).state.index, 'é'.repeat(341));
  });
});

describe('an index', () => {
  it('is as old as the request that brought it, if the answer was idle', () => {
    strictEqual(ageAt(turn(asked, got(answer('6')), 90_000).state, 90_000), 50_000);
    deepStrictEqual(turn(asked, got(answer('6')), 90_000).delivery?.checkpoint, { index: '6', at: 40_000 });
  });

  it("is as old as the service's own answer before that request, if it came with news, which may have waited", () => {
    const { state, delivery } = turn(asked, got(answer('6', 'x')), 90_000);
    deepStrictEqual([state.indexAt, state.contactAt], [when(0), when(90_000)]);
    deepStrictEqual(delivery?.checkpoint, { index: '6', at: 0 });
    // Without an index it asked for what is new from now on.
    const first = turn(sent(stateWith(), 40_000), got(answer('6', 'x')), 41_000).state;
    deepStrictEqual([first.indexAt, first.contactAt], [when(40_000), when(41_000)]);
  });

  it('does not become younger by an answer without an index, but a poll right after it misses nothing', () => {
    for (const { state } of [
      turn(asked, { kind: 'completed' }, 90_000),
      failed(asked, { kind: 'no_news' }, 90_000),
    ])
      deepStrictEqual([state.indexAt, state.contactAt], [when(0), when(90_000)]);
    const old = turn(sent(asked, 250_000), { kind: 'completed' }, 297_000).state;
    deepStrictEqual([sent(old, 300_000).due, sent(old, 300_001).due?.reason], [undefined, 'silence']);
    // An index that was too old when the contact came may have been forgotten before.
    strictEqual(turn(sent(asked, 250_000), { kind: 'completed' }, 297_001).state.due?.reason, 'silence');
  });

  it('is not renewed by cuts, failures, wakes and held polls', () => {
    for (const state of [
      turn(asked, { kind: 'timeout' }, 110_000).state,
      turn(asked, { kind: 'woken' }, 50_000).state,
      cut(asked, 50_000).state,
      failed(asked, { kind: 'retry' }, 50_000).state,
      turn(asked, { kind: 'held' }, 50_000).state,
    ])
      deepStrictEqual([state.indexAt, state.contactAt], [when(0), when(0)]);
  });

  it('is not renewed by an echo, which emits nothing: no news, at once, and with the same index', () => {
    const again = sent(news, 100_000);
    const { delivery, signals, why, state } = turn(again, got(answer('6', 'x')), 101_999);
    deepStrictEqual([delivery, signals, why], [undefined, [], 'stale']);
    deepStrictEqual(
      [state.indexAt, state.contactAt, state.isAgeUnknown],
      [news.indexAt, news.contactAt, true],
    );
    deepStrictEqual(turn(asked, got(answer('5')), 40_001).state.indexAt, when(0));
    // Held by the service, with another index, or with news it is an answer like any other.
    const repeat = (index: string, at: number) => turn(again, got(answer(index, 'x')), at).state;
    deepStrictEqual(
      [repeat('6', 102_000).indexAt, repeat('6', 102_000).contactAt],
      [when(100_000), when(102_000)],
    );
    deepStrictEqual(repeat('7', 100_001).indexAt, when(100_000));
    strictEqual(turn(again, got(answer('6', 'y')), 100_001).why, 'news');
  });

  it('is not echoed by a service that forgets nothing: its answer may have come at once', () => {
    const endless = { ...laws, retention: Infinity };
    strictEqual(turn(asked, got(answer('5')), 40_001, endless).delivery?.signals[0]?.kind, 'checkpoint');
  });

  it('is of an unknown age after an echo: an idle answer at once with another one is a gap', () => {
    const echoed = turn(asked, got(answer('5')), 40_001).state;
    const gapAt = (state: FlatState, at: number) => turn(state, got(answer('9')), at).delivery?.gap?.reason;
    const again = sent(echoed, 41_000);
    deepStrictEqual([gapAt(again, 42_999), gapAt(again, 43_000)], ['silence', undefined]);
    strictEqual(gapAt(sent(turn(again, { kind: 'completed' }, 81_000).state, 81_000), 81_001), undefined);
  });

  it('keeps its gap through an echo', () => {
    const due = { reason: 'index_missing', index: '5' } as const;
    const { state, delivery } = turn({ ...asked, due }, got(answer('5')), 40_001);
    deepStrictEqual([state.due, delivery], [due, undefined]);
  });

  it('stays as old as it is after a gap, but a reload there misses nothing', () => {
    const due = { reason: 'silence', index: '5' } as const;
    const { state } = turn({ ...sent(asked, 250_000), due }, got(answer('6', 'x')), 300_000);
    deepStrictEqual([state.indexAt, state.gapAt], [when(0), when(300_000)]);
    const soon = sent(state, 303_000);
    deepStrictEqual([sent(state, 597_000).due, sent(state, 597_001).due?.reason], [undefined, 'silence']);
    // Unless it says at once that there is nothing new: the service has forgotten the index.
    const gapOf = (index: string, ms: number) => turn(soon, got(answer(index)), ms).delivery?.gap?.reason;
    deepStrictEqual([gapOf('7', 304_999), gapOf('7', 305_000)], ['silence', undefined]);
  });

  it('is as old as its request if the machine slept before the answer came, which may have waited', () => {
    const slept = (at: number, monotonic: number) =>
      turn(asked, got(answer('6', 'x')), when(at, monotonic)).state.contactAt;
    // Both clocks went on; they differ by more than clocks do; the poll took longer than it may.
    deepStrictEqual(slept(51_000, 50_000), when(51_000, 50_000));
    deepStrictEqual(slept(51_001, 50_000), when(40_000));
    deepStrictEqual([slept(110_000, 110_000), slept(110_001, 110_001)], [when(110_000), when(40_000)]);
    deepStrictEqual(turn(asked, { kind: 'completed' }, when(90_000, 50_000)).state.contactAt, when(40_000));
  });
});

describe('an answer that was delivered', () => {
  const after = turn(asked, got(answer('6', 'x')), 50_000);
  const unacknowledged = (state: FlatState, from = after) =>
    turn(state, { kind: 'unacknowledged', error: 'disk full', acknowledging: from }, 60_000);

  it('is requested again after a backoff, from the state before it, if it is not acknowledged', () => {
    const { state, why, signals } = unacknowledged(asked);
    deepStrictEqual([why, state.rest.until, signals.length], ['ack_failed', 60_250, 1]);
    deepStrictEqual([state.index, state.indexAt, state.key, state.due], ['5', when(0), asked.key, undefined]);
    const { status } = state;
    deepStrictEqual(
      [status.state, status.attempt, status.lastAnswer, status.error],
      ['retrying', 1, 0, 'disk full'],
    );
    strictEqual(unacknowledged({ ...asked, attempt: 3 }).state.status.attempt, 4);
  });

  it('has no hint about its index if `ack` keeps failing: the service has answered', () => {
    const settings = { ...laws, retention: Infinity };
    const failure = { kind: 'unacknowledged', error: 'disk full', acknowledging: after } as const;
    strictEqual(turn(asked, failure, 400_000, settings).state.status.hint, undefined);
  });

  it('has been paid for if it is not acknowledged, although it had news', () => {
    strictEqual(unacknowledged(asked).state.paidUntil - after.state.paidUntil, laws.minInterval);
  });

  it('is missed if it is not acknowledged, and there is no index to request it again with', () => {
    const first = sent(stateWith(), 40_000);
    deepStrictEqual(unacknowledged(first).state.due, { reason: 'unacknowledged', index: undefined });
    const due = { reason: 'index_missing', index: undefined } as const;
    deepStrictEqual(unacknowledged({ ...first, due }).state.due, due);
  });

  it('has no second gap if it is not acknowledged, as long as its index could have been used', () => {
    const due = { reason: 'silence', index: '5' } as const;
    const gapped = { ...asked, due };
    const { state } = unacknowledged(gapped, turn(gapped, got(answer('6', 'x')), 50_000));
    const gap = { ...due, at: 50_000 };
    deepStrictEqual([state.due, state.gapAt], [{ ...due, emitted: gap }, when(50_000)]);
    // Unless the index becomes too old again.
    strictEqual(sent(state, 347_000).due, state.due);
    deepStrictEqual(sent(state, 347_001).due, due);
  });

  it('may end the watch, with an error or without one', () => {
    const decide = (decision: { watch: 'end'; error?: unknown }) =>
      turn(asked, { kind: 'decided', decision, acknowledging: after }, 60_000);
    const ended = decide({ watch: 'end' });
    deepStrictEqual(
      [ended.end, ended.why, ended.state.status.state],
      [{ kind: 'complete' }, 'ended', 'closed'],
    );
    deepStrictEqual(decide({ watch: 'end', error: undefined }).end, { kind: 'error', error: undefined });
    const lost = decide({ watch: 'end', error: 'lost' });
    deepStrictEqual([lost.end, lost.state.status.error], [{ kind: 'error', error: 'lost' }, 'lost']);
  });

  it('may let the watch go on from another checkpoint, with the age of that', () => {
    const resume = (from: string | { index: string; at: number }) =>
      turn(asked, { kind: 'decided', decision: { watch: 'resume', from }, acknowledging: after }, 60_000);
    const { state, why, end } = resume({ index: '3', at: 20_000 });
    deepStrictEqual([why, end, state.index, state.indexAt], ['news', undefined, '3', when(20_000)]);
    deepStrictEqual(resume('3').state.indexAt, when(60_000));
    // The poll of an answer with news stays charged, since `ack` may decide the same for ever.
    const charge = state.paidUntil - after.state.paidUntil;
    strictEqual(charge, laws.minInterval);
    // News that was never refunded is not charged twice.
    const twice = turn({ ...asked, content: news.content }, got(answer('7', 'x')), 40_500);
    const again = { watch: 'resume', from: '3' } as const;
    const charged = turn(asked, { kind: 'decided', decision: again, acknowledging: twice }, 60_000).state;
    strictEqual(charged.paidUntil, asked.paidUntil);
    const idle = turn(asked, got(answer('6')), 50_000);
    const decision = { watch: 'resume', from: '3' } as const;
    const resumed = turn(asked, { kind: 'decided', decision, acknowledging: idle }, 60_000).state;
    strictEqual(resumed.paidUntil, idle.state.paidUntil);
    const nowhere = resume('').state;
    deepStrictEqual([nowhere.index, nowhere.due?.reason], [undefined, 'index_missing']);
  });
});

describe('an answer of another log', () => {
  const settings = lawsOf({ read: given => ({ handle: (given as { log?: string }).log }) });
  const ofLog = (log: string, index: string) => got({ ...answer(index, 'x'), log } as Answer);
  const inLogA = stateWith({ index: '5', handle: 'a', isAnswered: true });

  it('is not delivered, and the next poll goes without an index, at once', () => {
    const { why, delivery, state } = turn(inLogA, ofLog('b', '6'), 20, settings);
    deepStrictEqual([why, delivery, state.index, state.handle], ['no_news', undefined, undefined, undefined]);
    deepStrictEqual([state.mixUps, state.rest.until], [1, 20]);
    deepStrictEqual(state.due, { reason: 'another_log', index: '5' });
  });

  it('leaves the gap that is due as it is, unless that has been emitted', () => {
    const due = { reason: 'silence', index: '4' } as const;
    const gap = { ...due, at: 0 };
    const dueAfter = (before: FlatState['due']) =>
      turn({ ...inLogA, due: before }, ofLog('b', '6'), 20, settings).state.due;
    deepStrictEqual(dueAfter(due), due);
    deepStrictEqual(dueAfter({ ...due, emitted: gap }), { reason: 'another_log', index: '5' });
  });

  it('is a failure with a hint if it comes again before an index was of use', () => {
    const { why, state } = turn({ ...inLogA, mixUps: 2 }, ofLog('b', '6'), 3_000, settings);
    deepStrictEqual([why, state.mixUps, state.status.attempt], ['failed', 3, 2]);
    deepStrictEqual([state.status.state, state.heldAfter], ['retrying', 5_000]);
    strictEqual(state.status.hint?.includes('`handle`'), true);
  });

  it('is any answer that names another log, and none that names no log', () => {
    const unnamed = turn(inLogA, got(answer('6', 'x')), 20, settings);
    deepStrictEqual([unnamed.why, unnamed.state.index, unnamed.state.handle], ['news', '6', 'a']);
  });
});

describe('an empty answer without an index', () => {
  it('is acknowledged only if there is an `ack`, and emits nothing', () => {
    const withAck = { ...laws, ack: () => [] };
    strictEqual(turn(asked, got(answer('')), 50_000).delivery, undefined);
    const { delivery } = turn(asked, got(answer('')), 50_000, withAck);
    deepStrictEqual([delivery?.signals, delivery?.checkpoint.index], [[], '5']);
  });

  it('is followed by one gap, before an index or news, if the watch has no index', () => {
    let state = stateWith();
    for (const at of [20, 1_000, 2_000, 3_000]) {
      const quiet = turn(sent(state, at), got(answer('')), at + 20);
      deepStrictEqual([quiet.delivery, quiet.signals], [undefined, []]);
      state = quiet.state;
    }
    const first = turn(sent(state, 4_000), got(answer('1', 'x')), 4_020);
    deepStrictEqual([first.delivery?.gap?.reason, kindsOf(first)], ['index_missing', ['gap', 'answer']]);
  });

  it('ends the watch if it says that the log is closed, even if there is no `ack`', () => {
    const closed = lawsOf({ read: () => ({ isClosed: true }) });
    const { delivery } = turn(asked, got(answer('')), 50_000, closed);
    deepStrictEqual([delivery?.isClosed, delivery?.signals], [true, []]);
  });
});

describe('a gap that has been emitted', () => {
  it('is followed by another one if the service says again that it has forgotten the index', () => {
    const emitted = { reason: 'silence', index: '5', at: 0 } as const;
    const due = { reason: 'silence', index: '5', emitted } as const;
    const stale = stateWith({ index: '5', isAgeUnknown: true, due, isAnswered: true });
    const forgotten = turn(stale, got(answer('6')), 20).delivery;
    deepStrictEqual(forgotten?.gap, { reason: 'silence', index: '5', at: 20 });
    // Since the gap, 300 s may have passed before the answer began to arrive.
    const late = turn(
      { ...stale, isAgeUnknown: false, askedAt: when(290_000) },
      got(answer('6', 'x')),
      310_000,
    );
    deepStrictEqual(late.delivery?.gap, { reason: 'silence', index: '5', at: 310_000 });
    const repeated = turn({ ...stale, isAgeUnknown: false }, got(answer('6')), 20).delivery;
    deepStrictEqual(
      [repeated?.gap, kindsOf({ delivery: repeated } as FlatTransition)],
      [emitted, ['checkpoint']],
    );
  });
});

describe('what an answer says about its log', () => {
  const saying = (said: Reading) => lawsOf({ read: () => said });

  it('is that events before it are missing: it is delivered after a gap, whatever log it is of', () => {
    const gapOf = (state: FlatState, said: Reading) => {
      const { delivery, state: next } = turn(state, got(answer('6', 'x')), 50_000, saying(said));
      return [delivery?.gap?.reason, delivery?.signals.map(({ kind }) => kind), next.handle];
    };
    deepStrictEqual(gapOf(asked, { hasGap: true }), ['forgotten', ['gap', 'answer'], undefined]);
    const named = { ...asked, handle: 'a' };
    deepStrictEqual(gapOf(named, { hasGap: true, handle: 'b' }), ['forgotten', ['gap', 'answer'], 'b']);
    // A gap that is due is that gap.
    const due = { reason: 'silence', index: '5' } as const;
    deepStrictEqual(gapOf({ ...asked, due }, { hasGap: true })[0], 'silence');
    // At once and empty, under the index that was sent, it would be a cache's.
    const { delivery } = turn(asked, got(answer('5')), 40_001, saying({ hasGap: true }));
    deepStrictEqual(kindsOf({ delivery } as FlatTransition), ['gap', 'checkpoint']);
  });

  it('is where it ends: an index ahead of that goes back, with a gap, if the answer is empty', () => {
    const after = (events: readonly string[], end: string | number) => {
      const { delivery, state } = turn(asked, got(answer('5', ...events)), 70_000, saying({ end }));
      return [state.index, delivery?.gap?.reason];
    };
    deepStrictEqual(after([], 3), ['3', 'index_backwards']);
    deepStrictEqual(after([], '5'), ['5', undefined]);
    deepStrictEqual(after([], 9), ['5', undefined]);
    deepStrictEqual(after(['x'], 3), ['5', undefined]);
    deepStrictEqual(after([], 'no decimal'), ['5', undefined]);
  });
});
