import { deepStrictEqual, strictEqual } from 'node:assert';
import { concat, defer, NEVER, of, Subject, throwError, timer, type Observable } from 'rxjs';
import { StatusError, TransportError, type WatchConfig, type WatchStatus } from 'lobby-rx';
import { readAgain } from '../../../src/client/group/read-again.js';
import { watchSettings } from '../../../src/stream/watch-config.js';
import { virtualTime } from '../../virtual-time.js';

const request = { method: 'GET', url: 'https://service.example' };
const busy = new StatusError(503, request);

/** Readings of two pages, the second of which takes 100 ms. An error in `script` fails the reading of that number, at once. */
function stage(
  script: readonly unknown[] = [],
  wake$: Observable<unknown> = NEVER,
  config: WatchConfig<never> = {},
) {
  const { scheduler, pass } = virtualTime();
  const start = scheduler.now();
  const now = () => scheduler.now() - start;
  const started: number[] = [];
  const stale$ = new Subject<void>();
  const page$ = defer(() => {
    const error = script[started.push(now()) - 1];
    return error ? throwError(() => error) : concat(of('a'), timer(100, scheduler));
  });
  // The waits after failures are 1, 2, 4 … s, and that after a wake is 1 s.
  const settings = watchSettings<never>({
    scheduler,
    wake$,
    testing: { random: () => 1 },
    backoff: { initial: 1_000 },
    ...config,
  });
  const seen: string[] = [];
  const statuses: WatchStatus[] = [];
  const reading = readAgain<unknown>(page$, stale$, { refresh: 60_000, settings }).subscribe({
    next: signal => {
      if (signal.kind === 'status') statuses.push(signal.status);
      seen.push(
        `${now()} ${signal.kind === 'status' ? signal.status.state : signal.kind === 'answer' ? signal.answer.join('') : ''}`,
      );
    },
    error: () => seen.push(`${now()} error`),
  });
  return { seen, started, statuses, stale$, pass, reading, start };
}

describe('reading pages again', () => {
  it('emits all pages at once, and after each interval, and says that it is live', () => {
    const { seen, started, statuses, pass, reading, start } = stage();
    pass(125_000);
    deepStrictEqual(seen, ['0 connecting', '100 live', '100 a0', '60200 a0', '120300 a0']);
    deepStrictEqual(started, [0, 60_100, 120_200]);
    strictEqual(statuses[1]!.lastAnswer, start + 100);
    reading.unsubscribe();
    pass(100_000);
    strictEqual(started.length, 3);
  });

  it('happens as soon as pages are stale, but at most every five seconds', () => {
    const { started, stale$, pass } = stage();
    pass(50);
    stale$.next();
    pass(5_100);
    // Not before five seconds after the end of the last reading.
    deepStrictEqual(started, [0, 5_100]);
    pass(10_000);
    deepStrictEqual(started, [0, 5_100]);
    stale$.next();
    deepStrictEqual(started, [0, 5_100, 15_150]);
    pass(10_000);
    strictEqual(started.length, 3);
  });

  it('backs off after failures, with their number and the time of the next try, and is live again', () => {
    const { seen, started, statuses, pass, start } = stage([undefined, busy, busy]);
    pass(64_000);
    deepStrictEqual(started, [0, 60_100, 61_100, 63_100]);
    deepStrictEqual(seen.slice(3), ['60100 retrying', '61100 retrying', '63200 live', '63200 a0']);
    deepStrictEqual(
      statuses.slice(2).map(({ attempt, nextTry, error, hint }) => [attempt, nextTry, error, hint]),
      [
        [1, start + 61_100, busy, undefined],
        [2, start + 63_100, busy, undefined],
        [0, undefined, undefined, undefined],
      ],
    );
  });

  it('waits for as long as the service asks, whatever the clocks of this machine say', () => {
    const wake$ = new Subject<void>();
    const asked = new StatusError(429, request, { retryAfter: 20_000 });
    const { started, pass } = stage([asked], wake$);
    pass(5_000);
    wake$.next();
    pass(20_000);
    deepStrictEqual(started, [0, 21_000]);
  });

  it('tries again within a second after a wake, and takes one for news', () => {
    const wake$ = new Subject<void>();
    const { started, pass } = stage([busy, busy, busy, busy], wake$);
    pass(8_000);
    deepStrictEqual(started, [0, 1_000, 3_000, 7_000]);
    wake$.next();
    pass(1_000);
    deepStrictEqual(started.slice(4), [9_000]);
    pass(20_000);
    wake$.next();
    deepStrictEqual(started.slice(5), [29_000]);
  });

  it('asks for a permit before each reading', () => {
    const permit$ = new Subject<void>();
    const { started, pass } = stage([], NEVER, { permit: () => permit$ });
    pass(10_000);
    deepStrictEqual(started, []);
    permit$.next();
    pass(70_000);
    deepStrictEqual(started, [10_000]);
    permit$.next();
    strictEqual(started.length, 2);
  });

  it('goes on without wakes if their source fails', () => {
    const { started, pass } = stage(
      [busy],
      throwError(() => new Error('no wakes')),
    );
    pass(2_000);
    deepStrictEqual(started, [0, 1_000]);
  });

  it('says if there is no connection, and what to check if there has never been an answer', () => {
    const unreachable = new TransportError('unreachable', 'no connection', request);
    const { statuses, pass } = stage([unreachable, new StatusError(404, request), undefined]);
    pass(4_000);
    deepStrictEqual(
      statuses.map(({ state, hint }) => [state, hint?.includes('URL')]),
      [
        ['connecting', undefined],
        ['offline', undefined],
        ['retrying', true],
        ['live', undefined],
      ],
    );
  });

  it('ends with an error that the service itself will repeat, with the status closed', () => {
    for (const status of [403, 404]) {
      const refused = new StatusError(status, request, { code: 'NO' });
      const { seen, statuses, pass } = stage([refused]);
      pass(100_000);
      deepStrictEqual(seen, ['0 connecting', '0 closed', '0 error']);
      strictEqual(statuses[1]!.error, refused);
    }
  });
});
