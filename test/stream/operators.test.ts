import { strictEqual, deepStrictEqual, ok, throws } from 'node:assert';
import { defer, map, throwError } from 'rxjs';
import {
  backoff,
  DecodeError,
  either,
  scanState,
  InputError,
  isRetryable,
  StatusError,
  TransportError,
  UnauthorizedError,
} from 'lobby-rx';
import { backoffDelay } from '../../src/stream/index.js';
import { ofKind } from '../../src/stream/feed/index.js';
import { marbles } from '../marbles.js';

describe('backoff', () => {
  it(
    'adds the wait that the service asks for',
    marbles(({ cold, expectObservable }) => {
      const request = { method: 'GET', url: 'https://service.example' };
      const error = new StatusError(429, request, { retryAfter: 30_000 });
      const config = { initial: 10, testing: { random: () => 1 }, retries: 2 };
      // 30 s and 10 ms, then 30 s and 20 ms.
      expectObservable(cold('#', undefined, error).pipe(backoff(config))).toBe('60030ms #', undefined, error);
    }),
  );

  it(
    'counts attempts until the source emits, however long each takes',
    marbles(({ cold, expectObservable }) => {
      const shouldRetry = (_: unknown, attempt: number) => attempt < 3;
      const slow = cold<never>('9s #', undefined, 'down');
      const config = { shouldRetry, testing: { random: () => 0 }, max: 1_000 };
      expectObservable(slow.pipe(backoff(config))).toBe('27s #', undefined, 'down');
    }),
  );

  it(
    'retries what may pass: no answer, a passing status, an error of somebody else; and ends with what cannot be mended',
    marbles(({ cold, expectObservable, flush }) => {
      const request = { method: 'GET', url: 'https://service.example' };
      const status = (code: number) => new StatusError(code, request);
      const passing = [
        ...(['not_sent', 'unreachable', 'lost', 'timeout'] as const).map(
          reason => new TransportError(reason, '', request),
        ),
        ...[408, 425, 429, 500, 502, 503, 504].map(status),
        new TypeError('of the caller'),
        'down',
      ];
      const lasting = [
        ...(['redirected', 'too_large'] as const).map(reason => new TransportError(reason, '', request)),
        ...[304, 400, 401, 403, 404, 410].map(status),
        new InputError('a', 'b', 'c'),
        new DecodeError({ path: '', expected: 'a', got: 'b' }),
        new UnauthorizedError(request),
      ];
      for (const error of passing) ok(isRetryable(error), String(error));
      for (const error of lasting) ok(!isRetryable(error), String(error));
      const config = { initial: 4, testing: { random: () => 1 } };
      for (const error of lasting)
        expectObservable(cold('-#', undefined, error).pipe(backoff(config))).toBe('-#', undefined, error);
      const tries = [...passing.slice(0, 2), lasting[0]];
      const failing$ = defer(() => throwError(() => tries.shift()));
      expectObservable(failing$.pipe(backoff(config))).toBe('12ms #', undefined, lasting[0]);
      flush();
    }),
  );

  it(
    'gives up after `retries` retries in a row',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const down = cold<never>('#', undefined, 'down');
      expectObservable(down.pipe(backoff({ retries: 2, initial: 1, testing: { random: () => 1 } }))).toBe(
        ...(['3ms #', undefined, 'down'] as const),
      );
      expectSubscriptions(down.subscriptions).toBe(['(^!)', '-(^!)', '---(^!)']);
      expectObservable(cold('-#').pipe(backoff({ retries: 0 }))).toBe('-#');
      throws(() => backoff({ retries: -1 }), /^InputError: retries must be a number of retries; got -1$/);
    }),
  );

  it('waits no time without initial, however often it has failed', () => {
    for (const attempt of [1, 31, 1_025, 1e9])
      strictEqual(backoffDelay(attempt, { initial: 0, max: 30_000 }, 1), 0);
    strictEqual(backoffDelay(5_000, { initial: 1, max: 30_000 }, 1), 30_000);
  });

  it(
    'resubscribes after an error, with increasing, bounded delays',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const broken = cold('#');
      expectObservable(
        broken.pipe(backoff({ initial: 10, max: 25, testing: { random: () => 1 } })),
        '90ms !',
      ).toBe('');
      expectSubscriptions(broken.subscriptions).toBe([
        '(^!)',
        '10ms (^!)',
        '30ms (^!)',
        '55ms (^!)',
        '80ms (^!)',
      ]);
    }),
  );

  it(
    'starts over with its delays if the source ran for longer than the bound',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('a 29ms #');
      expectObservable(
        source.pipe(backoff({ initial: 10, max: 25, testing: { random: () => 1 } })),
        '95ms !',
      ).toBe('a 39ms a 39ms a');
      expectSubscriptions(source.subscriptions).toBe(['^ 29ms !', '40ms ^ 29ms !', '80ms ^ 14ms !']);
    }),
  );

  it(
    'keeps increasing its delays if the source ran for no longer than the bound',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('a 24ms #');
      expectObservable(
        source.pipe(backoff({ initial: 10, max: 25, testing: { random: () => 1 } })),
        '81ms !',
      ).toBe('a 34ms a 44ms a');
      expectSubscriptions(source.subscriptions).toBe(['^ 24ms !', '35ms ^ 24ms !', '80ms ^!']);
    }),
  );

  it(
    'passes on an error that `shouldRetry` excludes',
    marbles(({ cold, expectObservable }) => {
      const when = (error: unknown) => error === 'lost';
      expectObservable(cold('--#', undefined, 'refused').pipe(backoff({ shouldRetry: when }))).toBe(
        '--#',
        undefined,
        'refused',
      );
    }),
  );
});

describe('either', () => {
  const refusal = new StatusError(403, { method: 'GET', url: 'https://group.example/' });

  it(
    'wraps values in Right, and emits a client error as a final Left',
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('a-b-#', undefined, refusal).pipe(either())).toBe('a-b-(c|)', {
        a: { _tag: 'Right', right: 'a' },
        b: { _tag: 'Right', right: 'b' },
        c: { _tag: 'Left', left: refusal },
      });
    }),
  );

  it(
    'passes on any other error as an error',
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold('-#', undefined, 'mine').pipe(either())).toBe('-#', undefined, 'mine');
    }),
  );
});

describe('scanState', () => {
  it(
    'emits the seed, then each new state, and nothing if the state stays the same',
    marbles(({ cold, expectObservable }) => {
      const longest = cold('-a-b-c|', { a: 'xx', b: 'x', c: 'xxx' }).pipe(
        scanState((best, text: string) => (text.length > best.length ? text : best), ''),
      );
      expectObservable(longest).toBe('sa---c|', { s: '', a: 'xx', c: 'xxx' });
    }),
  );
});

describe('ofKind', () => {
  it(
    'passes only the given kind',
    marbles(({ cold, expectObservable }) => {
      const values = { a: { kind: 'x', of: 1 }, b: { kind: 'y' }, c: { kind: 'z' } } as const;
      const source = cold<{ kind: 'x'; of: 1 } | { kind: 'y' } | { kind: 'z' }>('abc', values);
      expectObservable(
        source.pipe(
          ofKind('x'),
          map(({ of }) => of),
        ),
      ).toBe('a', { a: 1 });
    }),
  );
});

describe('InputError', () => {
  it('says what to change', () => {
    const error = new InputError('count', 'a positive integer', '0');
    strictEqual(error.message, 'count must be a positive integer; got 0');
    deepStrictEqual([error.argument, error.expected, error.got], ['count', 'a positive integer', '0']);
  });
});
