import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { asyncScheduler, defer, interval, NEVER, Observable, of, Subject, tap, timer } from 'rxjs';
import { createClient, watch, watchSignals, type Recovery, type TransportRequest } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, script } from '../poll-script.js';
import { virtualTime } from '../virtual-time.js';

describe('a wake of the machine', () => {
  it('is what a stream in a stream says, not the stream itself', () => {
    const { scheduler, pass } = virtualTime();
    let polls = 0;
    const poll = () => {
      polls++;
      return NEVER;
    };
    const wake$ = of(timer(10_000, scheduler));
    const watching = watch(poll, { wake$, scheduler, testing: { random: () => 0 } }).subscribe();
    pass(9_000);
    strictEqual(polls, 1);
    pass(2_000);
    strictEqual(polls, 2);
    watching.unsubscribe();
  });

  it(
    'aborts a hanging poll or cuts a wait short, and the next poll is sent within a second',
    marbles(({ cold, hot, expectObservable, expectSubscriptions, flush }) => {
      const hung = cold<never>('-');
      const broken = cold<never>('#');
      const last = cold<never>('-');
      const { asked, poll } = script(cold('(a|)', { a: answer('1', 'x') }), hung, broken, last);
      const wake$ = hot('  5s w 9s w');
      // The wake; the failure; the wake that cuts its wait short.
      const chances = [0.5, 1, 0.25];
      const signals$ = watchSignals(poll, {
        wake$,
        testing: { random: () => chances.shift() ?? 0 },
        backoff: { initial: 60_000, max: 60_000 },
      });
      expectObservable(signals$, '20s !');
      expectSubscriptions(hung.subscriptions).toBe('^ 4999ms !');
      expectSubscriptions(broken.subscriptions).toBe('5500ms (^!)');
      expectSubscriptions(last.subscriptions).toBe('14251ms ^ 5748ms !');
      flush();
      deepStrictEqual(asked, [undefined, '1', '1', '1']);
      strictEqual(chances.length, 0);
    }),
  );

  it(
    'cuts the wait after a poll short that took a while to fail, and the next wait, too',
    marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const broken = [cold<never>('2s #'), cold<never>('2s #')] as const;
      const last = cold<never>('-');
      const { poll } = script(...broken, last);
      const chances = [1, 0, 1, 0];
      const random = () => chances.shift() ?? 0;
      const backoff = { initial: 60_000, max: 60_000 };
      expectObservable(
        watchSignals(poll, { wake$: hot('10s w 9999ms w'), testing: { random }, backoff }),
        '30s !',
      );
      expectSubscriptions(broken[1].subscriptions).toBe('10s ^ 1999ms !');
      expectSubscriptions(last.subscriptions).toBe('20s ^ 9999ms !');
    }),
  );

  it(
    'is one if several come at once, and none if their source fails',
    marbles(({ cold, hot, expectObservable, flush }) => {
      const failing = script(NEVER);
      expectObservable(watchSignals(failing.poll, { wake$: cold<never>('-#') }), '5s !');
      const crowded = script(NEVER, NEVER, NEVER);
      expectObservable(
        watchSignals(crowded.poll, { wake$: hot('2s wwwww'), testing: { random: () => 0 } }),
        '2500ms !',
      );
      flush();
      strictEqual(failing.asked.length, 1);
      strictEqual(crowded.asked.length, 2);
    }),
  );

  it(
    'that a subscriber causes in response to a signal counts, as any other',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const held = cold<never>('-');
      const next = cold<never>('-');
      const { poll } = script(cold('(a|)', { a: answer('1', 'x') }), cold<never>('#'), held, next);
      const wake$ = new Subject<void>();
      const states: string[] = [];
      const signals$ = watchSignals(poll, { wake$, testing: { random: () => 1 } }).pipe(
        tap(signal => {
          if (signal.kind !== 'status') return;
          states.push(signal.status.state);
          // The poll that is held after the failure shows that the service is well again.
          if (states.join(' ') === 'connecting live retrying live') wake$.next();
        }),
      );
      expectObservable(signals$, '1m !');
      expectSubscriptions(held.subscriptions).toBe('500ms ^ 1999ms !');
      expectSubscriptions(next.subscriptions).toBe('3500ms ^ 56499ms !');
      flush();
      deepStrictEqual(states, ['connecting', 'live', 'retrying', 'live']);
    }),
  );

  it('is none if its source cannot be subscribed to', () => {
    const broken = defer(() => {
      throw new Error('mine');
    });
    const { asked, poll } = script(NEVER);
    const seen: unknown[] = [];
    const watching = watch(poll, { wake$: broken }).subscribe({
      error: (error: unknown) => seen.push(error),
    });
    watching.unsubscribe();
    deepStrictEqual([asked, seen], [[undefined], []]);
  });

  it(
    'makes the next poll neither earlier nor later if it comes while one is waited for because of another wake',
    marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const polls = [cold<never>('-'), cold<never>('-')] as const;
      const chances = [0.9];
      const wake$ = hot('5s w 99ms w 399ms w 399ms w');
      const signals$ = watch(script(...polls).poll, {
        wake$,
        testing: { random: () => chances.shift() ?? 0 },
      });
      expectObservable(signals$, '8s !');
      expectSubscriptions(polls[0].subscriptions).toBe('^ 4999ms !');
      expectSubscriptions(polls[1].subscriptions).toBe('5900ms ^ 2099ms !');
    }),
  );

  it(
    'leaves each poll a second, even if it comes every half second',
    marbles(({ expectObservable, flush }) => {
      const lives: number[] = [];
      const poll = () =>
        new Observable<never>(() => {
          const start = asyncScheduler.now();
          return () => lives.push(asyncScheduler.now() - start);
        });
      expectObservable(watch(poll, { wake$: interval(500), testing: { random: () => 0.5 } }), '1m !');
      flush();
      // The first one is not on a new connection, and the last one is unsubscribed from.
      ok(
        lives.slice(1, -1).every(ms => ms >= 1_000),
        String(lives),
      );
      ok(lives.length > 20 && lives.length <= 60, `${lives.length} polls`);
    }),
  );

  it(
    'does not shorten a wait that the service asked for, but the next poll has a new connection',
    marbles(({ hot, expectObservable, flush }) => {
      const sent: [number, boolean][] = [];
      const recovery = (): Recovery => ({ kind: 'retry', retryAfter: 9_000 });
      const poll = (_: unknown, { needsFreshConnection }: { needsFreshConnection: boolean }) => {
        sent.push([asyncScheduler.now(), needsFreshConnection]);
        if (sent.length === 1) throw new Error('busy');
        return NEVER;
      };
      expectObservable(watch(poll, { wake$: hot('2s w'), recovery, testing: { random: () => 0 } }), '10s !');
      flush();
      deepStrictEqual(sent, [
        [0, false],
        [9_000, true],
      ]);
    }),
  );

  it(
    'is spread over a second, and over more if the process has more than a thousand watches',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      // Their polls never end, and they have gone before the last wake.
      const crowd = Array.from({ length: 1_500 }, () => watchSignals(() => NEVER, { wake$: NEVER }));
      const watching = crowd.map(signals$ => signals$.subscribe());
      asyncScheduler.schedule(() => watching.forEach(one => one.unsubscribe()), 20_000);
      const polls = [cold<never>('-'), cold<never>('-'), cold<never>('-')] as const;
      const wake$ = cold('10s w 19999ms w');
      expectObservable(
        watchSignals(script(...polls).poll, { wake$, testing: { random: () => 0.5 } }),
        '40s !',
      );
      // Half of 1,000 ms.
      expectSubscriptions(polls[2].subscriptions).toBe('30500ms ^ 9499ms !');
      flush();
      // Half of 1,501 ms; other tests of this process may have left some watches open, but less
      // than 1,000.
      const spread = polls[1].subscriptions[0]!.subscribedFrame - 10_000;
      ok(spread >= 750 && spread <= 1_250, `${spread} ms`);
    }),
  );

  it('is not want of CPU: timers that are a minute late on both clocks abort no poll', () => {
    /**
     * The connections of the polls of a client whose wall clock and monotonic clock have gone on by
     * so much more than its timers.
     */
    const after = (lateWall: number, lateMonotonic: number) => {
      const { scheduler: virtual, pass } = virtualTime();
      let isLate = false;
      const now = (late: number) => () => virtual.now() + (isLate ? late : 0);
      const scheduler = Object.create(virtual, { now: { value: now(lateWall) } }) as typeof virtual;
      const requests: TransportRequest[] = [];
      const client = createClient({
        url: 'https://a.example',
        token: 't',
        scheduler,
        testing: {
          random: () => 0,
          ...(lateWall !== lateMonotonic && { monotonic: { now: now(lateMonotonic) } }),
        },
        transport: request => {
          requests.push(request);
          return NEVER;
        },
      });
      const watching = client.events.batches().subscribe();
      pass(5_000);
      isLate = true;
      pass(20_000);
      watching.unsubscribe();
      return requests.map(({ needsFreshConnection }) => needsFreshConnection);
    };
    deepStrictEqual(after(60_000, 60_000), [false]);
    // Only the wall clock went on: the machine slept.
    deepStrictEqual(after(60_000, 0), [false, true]);
  });
});
