import { deepStrictEqual } from 'node:assert';
import {
  DecodeError,
  InputError,
  recovery,
  StatusError,
  TransportError,
  type TransportFailure,
} from 'lobby-rx';

const request = { method: 'GET', url: 'https://api.example/identity/events/live' };
const recoveryAfter = (status: number, details = {}) => recovery(new StatusError(status, request, details));

describe('recovery', () => {
  it('treats a poll that a proxy cut off, and an answer without anything new, as idle', () => {
    for (const status of [204, 304, 504, 524]) deepStrictEqual(recoveryAfter(status), { kind: 'idle' });
    deepStrictEqual(recoveryAfter(500, { code: 'API_REQUEST_TIMEOUT' }), { kind: 'idle' });
  });

  it('drops the index if the request is refused', () => {
    for (const status of [400, 404, 410]) deepStrictEqual(recoveryAfter(status), { kind: 'index' });
  });

  it('ends a watch that polling again cannot fix', () => {
    for (const status of [401, 403]) deepStrictEqual(recoveryAfter(status), { kind: 'end' });
    deepStrictEqual(recovery(new InputError('group_id', 'a non-empty string', 'nothing')), { kind: 'end' });
  });

  it('retries everything else, blames the index if the service fails, and respects Retry-After', () => {
    const retry = { kind: 'retry', after: undefined, blamesIndex: false };
    for (const status of [402, 405, 408, 414, 418]) deepStrictEqual(recoveryAfter(status), retry);
    for (const status of [500, 502, 503, 520, 599])
      deepStrictEqual(recoveryAfter(status), { ...retry, blamesIndex: true });
    for (const status of [429, 504]) {
      deepStrictEqual(recoveryAfter(status, { retryAfter: 7_000 }), {
        ...retry,
        after: 7_000,
        blamesIndex: status === 504,
      });
    }
    deepStrictEqual(recovery(new DecodeError({ path: '', expected: 'JSON', got: 'HTML' })), {
      kind: 'retry',
    });
    deepStrictEqual(recovery('anything'), { kind: 'retry' });
  });

  it('distinguishes a service that cannot be reached from a lost connection', () => {
    const offline = (reason: TransportFailure) => recovery(new TransportError(reason, '', request));
    deepStrictEqual(offline('unreachable'), { kind: 'retry', offline: true });
    for (const reason of ['lost', 'deadline', 'not_sent', 'redirected', 'too_large'] as const) {
      deepStrictEqual(offline(reason), { kind: 'retry', offline: false });
    }
  });
});
