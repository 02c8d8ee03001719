import { deepStrictEqual, strictEqual } from 'node:assert';
import { InputError, isFromService, recovery, StatusError, TransportError } from 'lobby-rx';
import type { StatusDetails } from '../../src/error/index.js';

const request = { method: 'GET', url: 'https://api.example/' };
const own: StatusDetails = { code: 'GROUP_NOT_FOUND' };
const recoveryOf = (status: number, details?: StatusDetails) =>
  recovery(new StatusError(status, request, details));
const retry = { kind: 'retry', after: undefined, blamesIndex: false } as const;
const asking = { ...retry, hint: 'the answer does not come from the service: is the URL right?' };

describe('recovery', () => {
  it('recognizes the service by the code or the ray id of its answer', () => {
    const isOwn = (details?: StatusDetails) => isFromService(new StatusError(404, request, details));
    deepStrictEqual(
      [isOwn(own), isOwn({ rayId: '7' }), isOwn({ reason: 'x' }), isOwn()],
      [true, true, false, false],
    );
  });

  it('treats an answer without content as a cut, and a time-out of the service as its word if it held the poll', () => {
    for (const status of [204, 304]) deepStrictEqual(recoveryOf(status), { kind: 'cut' });
    deepStrictEqual(recoveryOf(500, { code: 'API_REQUEST_TIMEOUT' }), { kind: 'idle', ifHeldFor: 10_000 });
  });

  it('treats a poll that a proxy cut off as cut only if it was held, and not if the proxy asks for a wait', () => {
    for (const status of [502, 504, 520, 524]) {
      deepStrictEqual(recoveryOf(status), { kind: 'cut', ifHeldFor: 10_000 });
      deepStrictEqual(recoveryOf(status, { retryAfter: 5 }), { ...retry, after: 5 });
    }
  });

  it('drops the index if the service refuses the request, and ends if it refuses the caller', () => {
    for (const details of [own, { rayId: '7' }]) {
      for (const status of [400, 404, 410]) deepStrictEqual(recoveryOf(status, details), { kind: 'index' });
      for (const status of [401, 403]) deepStrictEqual(recoveryOf(status, details), { kind: 'end' });
    }
    deepStrictEqual(recovery(new InputError('group_id', 'a string', 'nothing')), { kind: 'end' });
  });

  it('retries what a proxy answers, and asks whether the URL is right', () => {
    for (const status of [400, 401, 403, 404, 405, 410]) deepStrictEqual(recoveryOf(status), asking);
    for (const status of [408, 425, 429]) deepStrictEqual(recoveryOf(status), retry);
    deepStrictEqual(recoveryOf(500), retry);
  });

  it('drops an index that is too long for anyone on the way', () => {
    for (const status of [414, 431]) {
      for (const details of [own, {}]) {
        deepStrictEqual(recoveryOf(status, details), { kind: 'retry', after: undefined, dropsIndex: true });
      }
    }
  });

  it('blames the index for a 500 of the service, but for no other failure', () => {
    for (const details of [own, { rayId: '7' }, { isEmpty: true }]) {
      deepStrictEqual(recoveryOf(500, details), { ...retry, blamesIndex: true });
      for (const status of [501, 503, 507]) deepStrictEqual(recoveryOf(status, details), retry);
    }
    for (const error of [new Error('mine'), 'mine', undefined])
      deepStrictEqual(recovery(error), { kind: 'retry' });
  });

  it('waits as long as it is asked to', () => {
    for (const status of [408, 429, 500, 503])
      strictEqual((recoveryOf(status, { retryAfter: 7 }) as { after?: number }).after, 7);
  });

  it('distinguishes a service that cannot be reached from a lost connection', () => {
    const of = (reason: 'unreachable' | 'lost') => recovery(new TransportError(reason, 'no', request));
    deepStrictEqual(of('unreachable'), { kind: 'retry', offline: true });
    deepStrictEqual(of('lost'), { kind: 'retry', offline: false });
  });
});
