import { deepStrictEqual } from 'node:assert';
import { DecodeError, InputError, judge, StatusError, TransportError, type TransportFailure } from 'lobby-rx';

const request = { method: 'GET', url: 'https://api.example/identity/events/live' };
const verdict = (status: number, details = {}) => judge(new StatusError(status, request, details));

describe('judge', () => {
  it('takes a cut poll, and the word that nothing is new, for idle', () => {
    for (const status of [204, 304, 504, 524]) deepStrictEqual(verdict(status), { kind: 'idle' });
    deepStrictEqual(verdict(500, { code: 'API_REQUEST_TIMEOUT' }), { kind: 'idle' });
  });

  it('has the index dropped where the request is refused', () => {
    for (const status of [400, 404, 410]) deepStrictEqual(verdict(status), { kind: 'refused' });
  });

  it('ends a watch that no further poll can mend', () => {
    for (const status of [401, 403]) deepStrictEqual(verdict(status), { kind: 'end' });
    deepStrictEqual(judge(new InputError('group_id', 'a non-empty string', 'nothing')), { kind: 'end' });
  });

  it('has all else tried again, the index suspected where the service fails, and a wish to wait heeded', () => {
    const retry = { kind: 'retry', after: undefined, suspect: false };
    for (const status of [402, 405, 408, 414, 418]) deepStrictEqual(verdict(status), retry);
    for (const status of [500, 502, 503, 520, 599])
      deepStrictEqual(verdict(status), { ...retry, suspect: true });
    for (const status of [429, 504]) {
      deepStrictEqual(verdict(status, { retryAfter: 7_000 }), {
        ...retry,
        after: 7_000,
        suspect: status === 504,
      });
    }
    deepStrictEqual(judge(new DecodeError({ path: '', expected: 'JSON', got: 'HTML' })), { kind: 'retry' });
    deepStrictEqual(judge('anything'), { kind: 'retry' });
  });

  it('tells a service that cannot be reached from one that was lost', () => {
    const offline = (reason: TransportFailure) => judge(new TransportError(reason, '', request));
    deepStrictEqual(offline('unreachable'), { kind: 'retry', offline: true });
    for (const reason of ['lost', 'deadline', 'not_sent', 'redirected', 'too_large'] as const) {
      deepStrictEqual(offline(reason), { kind: 'retry', offline: false });
    }
  });
});
