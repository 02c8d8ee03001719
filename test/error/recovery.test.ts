import { deepStrictEqual, match, strictEqual } from 'node:assert';
import { DecodeError, InputError, isFromService, recovery, StatusError, TransportError } from 'lobby-rx';
import { NOTHING, type StatusDetails, type TransportFailure } from '../../src/error/index.js';

const request = { method: 'GET', url: 'https://api.example/' };
const own: StatusDetails = { code: 'GROUP_NOT_FOUND' };
const recoveryOf = (status: number, details?: StatusDetails) =>
  recovery(new StatusError(status, request, details));
const retry = { kind: 'retry', retryAfter: undefined } as const;
/** What a proxy answers may have ended a poll that the service held. */
const foreign = { ...retry, mayBeCut: true } as const;
const asking = { ...foreign, hint: 'the answer does not come from the service: is the URL right?' };

describe('recovery', () => {
  it('recognizes the service by the code or the ray id of its answer', () => {
    const isOwn = (details?: StatusDetails) => isFromService(new StatusError(404, request, details));
    deepStrictEqual(
      [isOwn(own), isOwn({ rayId: '7' }), isOwn({ reason: 'x' }), isOwn()],
      [true, true, false, false],
    );
  });

  it("takes the service's own time-out for its word, unless it asks for a wait", () => {
    deepStrictEqual(recoveryOf(500, { code: 'API_REQUEST_TIMEOUT' }), { kind: 'no_news' });
    const later = recoveryOf(500, { code: 'API_REQUEST_TIMEOUT', retryAfter: 5 });
    deepStrictEqual(later, { ...retry, retryAfter: 5 });
  });

  it("says that an error may be a cut if it is not the service's", () => {
    for (const status of [204, 304, 408, 500, 502, 503, 504, 520, 524]) {
      deepStrictEqual(recoveryOf(status), foreign);
      deepStrictEqual(recoveryOf(status, { retryAfter: 5 }), { ...foreign, retryAfter: 5 });
    }
    for (const error of [new Error('mine'), 'mine', undefined])
      deepStrictEqual(recovery(error), { kind: 'retry', mayBeCut: true });
  });

  it("says that a gateway's status may be a cut, whatever its body, and so may an empty body", () => {
    for (const status of [502, 503, 504]) {
      deepStrictEqual(recoveryOf(status, own), foreign);
      // With both, the service itself asks to wait.
      deepStrictEqual(recoveryOf(status, { ...own, retryAfter: 5 }), { ...retry, retryAfter: 5 });
    }
    const nothing = new DecodeError({ path: '', expected: 'x', got: NOTHING }, request);
    deepStrictEqual(recovery(nothing), { kind: 'retry', mayBeCut: true });
  });

  it('says that no other answer of the service itself may be a cut, nor one that does not decode', () => {
    for (const details of [own, { rayId: '7' }])
      for (const status of [408, 425, 429, 500]) deepStrictEqual(recoveryOf(status, details), retry);
    deepStrictEqual(recovery(new DecodeError({ path: '', expected: 'x', got: 'y' }, request)), {
      kind: 'retry',
      mayBeCut: false,
    });
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
    for (const status of [408, 425, 429]) deepStrictEqual(recoveryOf(status), foreign);
  });

  it('drops an index that is too long for anyone on the way', () => {
    for (const status of [414, 431]) {
      for (const details of [own, {}]) {
        deepStrictEqual(recoveryOf(status, details), {
          kind: 'retry',
          retryAfter: undefined,
          dropsIndex: true,
        });
      }
    }
  });

  it('waits as long as it is asked to', () => {
    for (const status of [408, 429, 500, 503])
      strictEqual((recoveryOf(status, { retryAfter: 7 }) as { retryAfter?: number }).retryAfter, 7);
  });

  it('distinguishes a service that cannot be reached from a lost connection, and both from what is no accident', () => {
    const of = (reason: TransportFailure) => {
      const { offline, mayBeCut } = recovery(new TransportError(reason, 'no', request)) as {
        offline?: boolean;
        mayBeCut?: boolean;
      };
      return [offline, mayBeCut];
    };
    deepStrictEqual(of('unreachable'), [true, false]);
    for (const reason of ['lost', 'timeout'] as const) deepStrictEqual(of(reason), [false, true]);
    for (const reason of ['not_sent', 'redirected', 'too_large'] as const)
      deepStrictEqual(of(reason), [false, false]);
  });
});

describe('the recovery of a lost request in a page', () => {
  afterEach(() => Reflect.deleteProperty(globalThis, 'document'));

  it('has a hint, since a browser does not say why it failed', () => {
    const lost = () => recovery(new TransportError('lost', 'Failed to fetch', request));
    strictEqual('hint' in lost(), false);
    Object.assign(globalThis, { document: {} });
    match((lost() as { readonly hint?: string }).hint ?? '', /does not say why/);
  });
});
