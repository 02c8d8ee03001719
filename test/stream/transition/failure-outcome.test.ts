import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { StatusError, type Recovery } from '../../../src/error/index.js';
import { failed, laws, stateWith, turn, type FlatState } from '../../transition.js';

const live = stateWith({ index: '7', isAnswered: true });

/** The transition after a poll that was held for 6 s, and then got this status from a proxy. */
const cutBy = (status: number, retryAfter?: number) => {
  const error = new StatusError(status, { method: 'GET', url: 'https://a.example/' });
  const recovery = () => ({ kind: 'retry', mayBeCut: true, retryAfter }) as const;
  return turn(live, { kind: 'failure', error, heldFor: 6_000 }, 6_000, { ...laws, recovery });
};

describe('a poll that a proxy cuts off', () => {
  it('is sent again at once after a 4xx, and spread over 300 ms after a 5xx, which all polls get', () => {
    for (const status of [408, 499]) strictEqual(cutBy(status).state.rest.until, 6_000, `${status}`);
    for (const status of [500, 503]) strictEqual(cutBy(status).state.rest.until, 6_150, `${status}`);
  });

  it('waits longer than a second only if a 429 asks for that', () => {
    deepStrictEqual(
      [429, 408, 503].map(status => cutBy(status, 20_000).state.rest.until - 6_000),
      [20_000, 1_000, 1_000],
    );
  });
});

describe('a wait that a custom `recovery` asks for', () => {
  it('is left out if it is no number', () => {
    for (const retryAfter of [NaN, 'soon' as never, -5]) {
      const { rest, paidUntil } = cutBy(503, retryAfter).state;
      deepStrictEqual([rest.until, paidUntil], [6_150, live.paidUntil], String(retryAfter));
      const { state } = failed(live, { kind: 'retry', retryAfter }, 6_000);
      strictEqual(Number.isFinite(state.rest.until), true, String(retryAfter));
    }
  });
});

describe('the hint that the index may be unknown', () => {
  /** The hint of a service that forgets nothing, after 150 s without contact. */
  const hintAfter = (recovery: Omit<Recovery & { kind: 'retry' }, 'kind'>, state: FlatState = live) => {
    const settings = {
      ...laws,
      retention: Infinity,
      recovery: () => ({ kind: 'retry', ...recovery }) as const,
    };
    const failure = { kind: 'failure', error: 'down', heldFor: 0 } as const;
    return turn(state, failure, 150_000, settings).state.status.hint;
  };

  it('comes if polls from an index fail for no other known reason', () => {
    match(hintAfter({})!, /^each poll from this index fails/);
  });

  it('does not come without an index, offline, or if the service asks to wait', () => {
    const before = stateWith({ isAnswered: true });
    deepStrictEqual(
      [hintAfter({}, before), hintAfter({ offline: true }), hintAfter({ retryAfter: 1_000 })],
      [undefined, undefined, undefined],
    );
  });

  it('does not come before, or if the service forgets events anyway', () => {
    const failure = { kind: 'failure', error: 'down', heldFor: 0 } as const;
    const settings = { ...laws, retention: Infinity, recovery: () => ({ kind: 'retry' }) as const };
    strictEqual(turn(live, failure, 149_999, settings).state.status.hint, undefined);
    strictEqual(failed(live, { kind: 'retry' }, 150_000, 0).state.status.hint, undefined);
  });
});
