import { deepStrictEqual, ok } from 'node:assert';
import { asyncScheduler, EMPTY, firstValueFrom, ignoreElements, of } from 'rxjs';
import { TransportError, withLog, type RequestLogEntry, type Transport } from 'lobby-rx';
import { marbles } from '../marbles.js';

const headers = { get: () => null };

describe('withLog', () => {
  it(
    'logs each request when it is sent and once when it ends, under one id',
    marbles(({ cold, expectObservable, flush }) => {
      const url = 'https://group.example/';
      const lost = new TransportError('lost', 'the connection was lost', { method: 'GET', url });
      const answers = [
        cold('---(a|)', { a: { status: 404, headers, text: '' } }),
        cold<never>('--#', undefined, lost),
        cold<never>('-'),
        // Unsubscribed from after the answer, before it completes: that is no abort.
        cold('-a', { a: { status: 200, headers, text: '' } }),
      ];
      const entries: RequestLogEntry[] = [];
      const transport: Transport = withLog(
        () => answers.shift()!,
        entry => entries.push(entry),
        () => asyncScheduler.now(),
        () => asyncScheduler.now(),
      );
      const request = { method: 'GET', url, headers: { authorization: 'Bearer t' }, body: 'secret' };
      const sent$ = transport(request).pipe(ignoreElements());
      expectObservable(sent$, '-^').toBe('----|');
      expectObservable(sent$, '----------^').toBe('------------#', undefined, lost);
      expectObservable(sent$, '--------------------^---!');
      expectObservable(sent$, '------------------------------^---!');
      flush();
      const of = (requestId: number) => ({ requestId, method: 'GET', url });
      deepStrictEqual(entries, [
        { ...of(1), kind: 'request', at: 1 },
        { ...of(1), kind: 'answer', status: 404, at: 4, ms: 3 },
        { ...of(2), kind: 'request', at: 10 },
        { ...of(2), kind: 'failure', error: lost, at: 12, ms: 2 },
        { ...of(3), kind: 'request', at: 20 },
        { ...of(3), kind: 'abort', at: 24, ms: 4 },
        { ...of(4), kind: 'request', at: 30 },
        { ...of(4), kind: 'answer', status: 200, at: 31, ms: 1 },
      ]);
    }),
  );

  it('logs one end of each request, after no less than no time, whatever the transport does and the clock shows', async () => {
    const request = { method: 'GET', url: 'https://group.example/', headers: {} };
    const answer = { status: 200, headers, text: '' };
    const transports: Transport[] = [
      () => {
        throw new Error('a bug');
      },
      () => undefined as never,
      () => EMPTY,
      () => of(answer, answer),
    ];
    for (const transport of transports) {
      const entries: RequestLogEntry[] = [];
      let now = 7_200_000;
      // Somebody sets the clock back.
      const logged = withLog(
        transport,
        entry => entries.push(entry),
        () => {
          now -= 3_600_000;
          return now;
        },
      );
      await firstValueFrom(logged(request)).catch(() => undefined);
      deepStrictEqual(
        entries.map(({ kind }) => kind === 'request'),
        [true, false],
      );
      ok('ms' in entries[1]! && entries[1].ms >= 0);
    }
  });
});
