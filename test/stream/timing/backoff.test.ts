import { strictEqual, throws } from 'node:assert';
import { defer, throwError } from 'rxjs';
import { backoff, StatusError, TransportError } from 'lobby-rx';
import { backoffDelay } from '../../../src/stream/index.js';
import { longestWait } from '../../longest-wait.js';
import { marbles } from '../../marbles.js';

const request = { method: 'GET', url: 'https://service.example' };
const testing = { random: longestWait };

describe('backoff', () => {
  it(
    'adds the wait that the service asks for',
    marbles(({ cold, expectObservable }) => {
      const error = new StatusError(429, request, { retryAfter: 30_000 });
      const limited = cold('#', undefined, error);
      // 30 s and 10 ms, then 30 s and 20 ms.
      expectObservable(limited.pipe(backoff({ initial: 10, retries: 2, testing }))).toBe(
        '60030ms #',
        undefined,
        error,
      );
    }),
  );

  it(
    'counts attempts until the source emits, however long each takes',
    marbles(({ cold, expectObservable }) => {
      const shouldRetry = (_: unknown, attempt: number) => attempt < 3;
      const slow = cold<never>('9s #', undefined, 'down');
      const config = { shouldRetry, testing: { random: () => 0 }, max: 1_000 };
      // Three attempts of 9 s. There are no waits between them.
      expectObservable(slow.pipe(backoff(config))).toBe('27s #', undefined, 'down');
    }),
  );

  it(
    'retries transient errors, and ends with the first error that is not transient',
    marbles(({ expectObservable }) => {
      const refused = new StatusError(403, request);
      const errors = [
        new TransportError('lost', '', request),
        new TransportError('timeout', '', request),
        refused,
      ];
      const failing$ = defer(() => throwError(() => errors.shift()));
      // Waits of 4 ms and 8 ms.
      expectObservable(failing$.pipe(backoff({ initial: 4, testing }))).toBe('12ms #', undefined, refused);
    }),
  );

  it(
    'gives up after `retries` retries in a row',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const down = cold<never>('#', undefined, 'down');
      expectObservable(down.pipe(backoff({ retries: 2, initial: 1, testing }))).toBe(
        '3ms #',
        undefined,
        'down',
      );
      expectSubscriptions(down.subscriptions).toBe(['(^!)', '-(^!)', '---(^!)']);
    }),
  );

  it(
    'passes on the first error if `retries` is 0',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const down = cold('-#');
      expectObservable(down.pipe(backoff({ retries: 0 }))).toBe('-#');
      expectSubscriptions(down.subscriptions).toBe('^!');
    }),
  );

  it('throws an InputError if `retries` is negative', () => {
    throws(() => backoff({ retries: -1 }), /^InputError: retries must be a number of retries; got -1$/);
  });

  it(
    'resubscribes after an error, with increasing, bounded delays',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const broken = cold('#');
      expectObservable(broken.pipe(backoff({ initial: 10, max: 25, testing })), '90ms !').toBe('');
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
      const retried$ = source.pipe(backoff({ initial: 10, max: 25, testing }));
      expectObservable(retried$, '95ms !').toBe('a 39ms a 39ms a');
      expectSubscriptions(source.subscriptions).toBe(['^ 29ms !', '40ms ^ 29ms !', '80ms ^ 14ms !']);
    }),
  );

  it(
    'keeps increasing its delays if the source ran for no longer than the bound',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('a 24ms #');
      const retried$ = source.pipe(backoff({ initial: 10, max: 25, testing }));
      expectObservable(retried$, '81ms !').toBe('a 34ms a 44ms a');
      expectSubscriptions(source.subscriptions).toBe(['^ 24ms !', '35ms ^ 24ms !', '80ms ^!']);
    }),
  );

  it(
    'passes on an error that `shouldRetry` excludes',
    marbles(({ cold, expectObservable }) => {
      const shouldRetry = (error: unknown) => error === 'lost';
      const refused = cold('--#', undefined, 'refused');
      expectObservable(refused.pipe(backoff({ shouldRetry }))).toBe('--#', undefined, 'refused');
    }),
  );
});

describe('backoffDelay', () => {
  it('is 0 if `initial` is 0, however often a request has failed', () => {
    for (const attempt of [1, 31, 1_025, 1e9])
      strictEqual(backoffDelay(attempt, { initial: 0, max: 30_000 }, longestWait()), 0);
  });

  it('is at most `max`, however often a request has failed', () => {
    for (const attempt of [31, 1_025, 1e9])
      strictEqual(backoffDelay(attempt, { initial: 1, max: 30_000 }, longestWait()), 30_000);
  });
});
