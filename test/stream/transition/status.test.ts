import { deepStrictEqual, strictEqual } from 'node:assert';
import { failed, stateWith, turn } from '../../transition.js';

const live = stateWith({ index: '7', isAnswered: true });
const first = stateWith({ index: undefined });

describe('the status of a watch', () => {
  it('is offline, with a hint that says why, until the browser has a network, whatever polls do', () => {
    const offline = turn(live, { kind: 'offline' }, 20);
    const tried = failed(offline.state, { kind: 'retry' }, 40);
    const again = failed(tried.state, { kind: 'retry', mayBeCut: true }, 60);
    for (const { state } of [offline, tried, again]) {
      strictEqual(state.status.state, 'offline');
      strictEqual(state.status.hint, 'the browser says it is offline; polls go on');
    }
  });

  it('is connecting, without an error, once the browser has a network again', () => {
    const offline = turn(live, { kind: 'offline' }, 20).state;
    const tried = failed(offline, { kind: 'retry' }, 40).state;
    const { state, attempt, error, nextTry } = turn(tried, { kind: 'online' }, 60).state.status;
    deepStrictEqual([state, attempt, error, nextTry], ['connecting', 1, undefined, undefined]);
  });

  it('says nothing new if the browser has a network, and had one before', () => {
    deepStrictEqual(turn(live, { kind: 'online' }, 20).signals, []);
  });

  it('has a hint if a poll without an index is held, unless it is live', () => {
    const connecting = { ...first, status: { ...first.status, state: 'connecting' } as const };
    const held = turn(connecting, { kind: 'held' }, 5_000);
    strictEqual(held.state.status.state, 'connecting');
    strictEqual(
      held.state.status.hint,
      'a poll without an index is held: does the first request wait for news?',
    );
    deepStrictEqual(held.signals, [{ kind: 'status', status: held.state.status }]);
    const { signals, state } = turn(first, { kind: 'held' }, 5_000);
    deepStrictEqual([signals, state.status], [[], first.status]);
  });

  it('has the error that ended the watch, and none if it completed', () => {
    const failedTo = (kind: 'end' | 'index') => failed(first, { kind }, 20).state.status;
    deepStrictEqual([failedTo('end').state, failedTo('end').error], ['closed', 'down']);
    deepStrictEqual([failedTo('index').state, failedTo('index').error], ['closed', 'down']);
  });
});
