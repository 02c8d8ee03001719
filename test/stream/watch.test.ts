import { strictEqual, throws, deepStrictEqual } from 'node:assert';
import { array, assert as check, constantFrom, integer, property, record, tuple } from 'fast-check';
import {
  concatMap,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  merge,
  NEVER,
  of,
  switchMap,
  take,
  tap,
  throwError,
  timer,
  type Observable,
} from 'rxjs';
import { InputError, watch, type Poll, type Recovery } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, read, script, type Answer } from '../poll-script.js';

/** The maximum jitter, so that all waits are predictable. */
const random = () => 1;

describe('watch', () => {
  it(
    'sends back the index of the last answer unchanged, and never makes one up',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const first = cold('  --(a|)            ', { a: answer('0007', 'x') });
      const second = cold('   ---(b|)         ', { b: answer('not a number/é', 'y') });
      const third = cold<never>('       -----        ');
      const { asked, poll } = script(first, second, third);
      const unsub = '       ---------!';
      expectObservable(watch(poll), unsub).toBe('--a--b---', {
        a: answer('0007', 'x'),
        b: answer('not a number/é', 'y'),
      });
      expectSubscriptions(first.subscriptions).toBe('  ^-!       ');
      expectSubscriptions(second.subscriptions).toBe(' --^--!    ');
      expectSubscriptions(third.subscriptions).toBe('  -----^---!');
      flush();
      deepStrictEqual(asked, [undefined, '0007', 'not a number/é']);
    }),
  );

  it(
    'has a separate index for each subscription',
    marbles(({ cold, expectObservable, flush }) => {
      const asked: (string | undefined)[] = [];
      const watch$ = watch<Answer>(index => {
        asked.push(index);
        return asked.length % 2 ? cold('-(a|)', { a: answer('1', 'x') }) : NEVER;
      });
      expectObservable(watch$, '---!').toBe('-a', { a: answer('1', 'x') });
      expectObservable(watch$, '----^-------!').toBe('-----a', { a: answer('1', 'x') });
      flush();
      deepStrictEqual(asked, [undefined, '1', undefined, '1']);
    }),
  );

  it(
    'polls without an index after an answer that had none, but not at once',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const first = cold('-(a|)', { a: answer('', 'x') });
      const second = cold('-(b|)', { b: { events: ['y'] } as unknown as Answer });
      const third = cold<never>('-');
      const { asked, poll } = script(first, second, third);
      expectObservable(watch(poll), '3s !').toBe('-a 1s b', {
        a: answer('', 'x'),
        b: { events: ['y'] } as unknown as Answer,
      });
      expectSubscriptions(second.subscriptions).toBe('- 1s ^!');
      expectSubscriptions(third.subscriptions).toBe('-- 2s ^ 997ms !');
      flush();
      deepStrictEqual(asked, [undefined, undefined, undefined]);
    }),
  );

  it(
    'accepts an answer of any shape, and polls without an index after one that cannot have any',
    marbles(({ cold, expectObservable, flush }) => {
      const asked: unknown[] = [];
      const answers = [null, 'text', { watch: null }, { n: 4, watch: { index: '1' } }];
      const poll = (index: string | undefined) => {
        asked.push(index);
        return cold('(a|)', { a: answers[asked.length - 1] });
      };
      expectObservable(watch(poll as unknown as Poll<never>).pipe(take(4)), '5s !').toBe(
        'a 999ms b 999ms c 999ms (d|)',
        {
          a: answers[0],
          b: answers[1],
          c: answers[2],
          d: answers[3],
        },
      );
      flush();
      deepStrictEqual(asked, Array(4).fill(undefined));
    }),
  );

  it(
    'advances its index only after the answer has been delivered',
    marbles(({ cold, expectObservable, flush }) => {
      const seen: string[] = [];
      const poll = (index: string | undefined) =>
        defer(() => {
          seen.push(`ask ${index ?? 'now'}`);
          return index === undefined ? cold('-(a|)', { a: answer('1', 'x') }) : NEVER;
        });
      const seen$ = watch(poll).pipe(tap(({ events }) => seen.push(`got ${events.join()}`)));
      expectObservable(seen$, '---!').toBe('-a', { a: answer('1', 'x') });
      flush();
      deepStrictEqual(seen, ['ask now', 'got x', 'ask 1']);
    }),
  );

  it(
    'emits nothing for an idle answer, and continues from its index',
    marbles(({ cold, expectObservable, flush }) => {
      const { asked, poll } = script(
        cold('-(a|)', { a: answer('1') }),
        cold('--(b|)', { b: answer('2', 'x') }),
      );
      expectObservable(watch(poll, { read }), '------!').toBe('---b', { b: answer('2', 'x') });
      flush();
      deepStrictEqual(asked, [undefined, '1', '2']);
    }),
  );

  it(
    'treats a state that has not changed as idle',
    marbles(({ cold, expectObservable, flush }) => {
      const { asked, poll } = script(
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(b|)', { b: answer('2', 'x') }),
        cold('-(c|)', { c: answer('3', 'x', 'y') }),
      );
      expectObservable(watch(poll, { read, isState: true }), '------!').toBe('-a-c', {
        a: answer('1', 'x'),
        c: answer('3', 'x', 'y'),
      });
      flush();
      deepStrictEqual(asked, [undefined, '1', '2', '3']);
    }),
  );

  it(
    'aborts a poll at its timeout and sends it again from the same index, without backoff',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const hung = cold<never>('-');
      const late = cold('-(b|)', { b: answer('2', 'y') });
      const { asked, poll } = script(cold('(a|)', { a: answer('1', 'x') }), hung, late);
      expectObservable(watch(poll, { timeout: 100, testing: { random: () => 0 } }), '150ms !').toBe(
        'a 100ms b',
        {
          a: answer('1', 'x'),
          b: answer('2', 'y'),
        },
      );
      expectSubscriptions(hung.subscriptions).toBe('^ 99ms !');
      expectSubscriptions(late.subscriptions).toBe('100ms ^!');
      flush();
      deepStrictEqual(asked, [undefined, '1', '1', '2']);
    }),
  );

  it(
    'treats a poll that completes without an answer as idle',
    marbles(({ cold, expectObservable, flush }) => {
      const { asked, poll } = script(
        cold('(a|)', { a: answer('1', 'x') }),
        cold<never>('--|'),
        cold('-(b|)', { b: answer('2', 'y') }),
      );
      expectObservable(watch(poll), '------!').toBe('a--b', { a: answer('1', 'x'), b: answer('2', 'y') });
      flush();
      deepStrictEqual(asked, [undefined, '1', '1', '2']);
    }),
  );

  it(
    'polls a server that answers at once with nothing new at most 63 times a minute',
    marbles(({ expectObservable, flush }) => {
      let polls = 0;
      const poll = () => of(answer(String(++polls)));
      expectObservable(watch(poll, { read }), '1m !').toBe('');
      flush();
      strictEqual(polls, 63);
    }),
  );

  it(
    'limits its polls in the same way if it gets idle errors, no answers or repetitions',
    marbles(({ expectObservable, flush }) => {
      const idle: Recovery = { kind: 'no_news' };
      const counts = [
        () => throwError(() => new Error('504')),
        (): Observable<Answer> => of(),
        () => of(answer('1', 'the same')),
      ].map(poll => {
        const count = { polls: 0 };
        const watch$ = watch<Answer>(
          () => {
            count.polls++;
            return poll();
          },
          { recovery: () => idle, read },
        );
        expectObservable(watch$, '1m !');
        return count;
      });
      flush();
      for (const { polls } of counts) strictEqual(polls <= 64 && polls > 50, true, String(polls));
    }),
  );

  it(
    'does not slow down a watch that carries events',
    marbles(({ cold, expectObservable, flush }) => {
      let polls = 0;
      const poll = () => cold('-(a|)', { a: answer(String(++polls), `event ${polls}`) });
      expectObservable(watch(poll), '1s !');
      flush();
      strictEqual(polls, 1000);
    }),
  );

  it(
    'backs off with increasing, bounded waits, and starts over after an answer',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const broken = cold<never>('#');
      const fine = cold('(a|)', { a: answer('1', 'x') });
      const { asked, poll } = script(broken, broken, broken, broken, fine, broken);
      const config = { testing: { random }, minInterval: 0, backoff: { initial: 10, max: 40 } };
      expectObservable(watch(poll, config), '130ms !').toBe('110ms a', { a: answer('1', 'x') });
      expectSubscriptions(broken.subscriptions).toBe([
        '(^!)',
        '10ms (^!)',
        '30ms (^!)',
        '70ms (^!)',
        '110ms (^!)',
      ]);
      flush();
      deepStrictEqual(asked, [undefined, undefined, undefined, undefined, undefined, '1', '1']);
    }),
  );

  it(
    'spreads its waits over the whole range up to their bound',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const broken = cold<never>('#');
      const jitter = [0.5, 0, 0.25];
      const poll = script(broken, broken, broken, broken).poll;
      const config = { testing: { random: () => jitter.shift() ?? 1 }, backoff: { initial: 100 } };
      expectObservable(watch(poll, config), '200ms !').toBe('');
      expectSubscriptions(broken.subscriptions).toBe(['(^!)', '50ms (^!)', '50ms (^!)', '150ms (^!)']);
    }),
  );

  it(
    'waits for as long as the service asks, even if it is woken',
    marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const busy = cold<never>('#');
      const recovery = (): Recovery => ({ kind: 'retry', retryAfter: 5_000 });
      const config = { testing: { random: () => 0 }, recovery, wake$: hot('10ms w') };
      expectObservable(watch(script(busy, busy).poll, config), '6s !').toBe('');
      expectSubscriptions(busy.subscriptions).toBe(['(^!)', '5s (^!)']);
    }),
  );

  it(
    'ends with an error that polling again cannot fix',
    marbles(({ cold, expectObservable }) => {
      const poll = script(cold<never>('-#', undefined, 'gone')).poll;
      expectObservable(watch(poll, { recovery: () => ({ kind: 'end' }) })).toBe('-#', undefined, 'gone');
    }),
  );

  it(
    'retries a refused request once without its index, and then ends',
    marbles(({ cold, expectObservable, flush }) => {
      const refused = cold<never>('-#', undefined, 'no');
      const { asked, poll } = script(cold('(a|)', { a: answer('1', 'x') }), refused, refused);
      const config = { testing: { random: () => 0 }, recovery: (): Recovery => ({ kind: 'index' }) };
      expectObservable(watch(poll, config)).toBe('a-#', { a: answer('1', 'x') }, 'no');
      flush();
      deepStrictEqual(asked, [undefined, '1', undefined]);
    }),
  );

  it(
    'has at most one poll in flight, even if it is woken',
    marbles(({ cold, hot, expectObservable, flush }) => {
      let inFlight = 0;
      let most = 0;
      const poll = () =>
        defer(() => {
          most = Math.max(most, ++inFlight);
          return cold('--(a|)', { a: answer(String(Math.random()), 'x') });
        }).pipe(finalize(() => inFlight--));
      expectObservable(watch(poll, { wake$: hot('-w--w-ww 2s w') }), '5s !');
      flush();
      strictEqual(most, 1);
      strictEqual(inFlight, 0);
    }),
  );

  it(
    'aborts at once on unsubscribe, and leaves nothing running',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const hung = cold<never>('-');
      const { asked, poll } = script(hung);
      expectObservable(watch(poll), '---!').toBe('----');
      expectSubscriptions(hung.subscriptions).toBe('^--!');
      flush();
      strictEqual(asked.length, 1);
    }),
  );

  it(
    'handles 10,000 synchronous answers',
    marbles(({ flush }) => {
      let polls = 0;
      let seen = 0;
      const poll = () => (++polls > 10_000 ? NEVER : of(answer(String(polls), `event ${polls}`)));
      watch(poll)
        .pipe(take(10_000))
        .subscribe(() => seen++);
      flush();
      strictEqual(seen, 10_000);
    }),
  );

  it('refuses an invalid config', () => {
    const poll = () => NEVER;
    for (const config of [
      { timeout: -1 },
      { minInterval: NaN },
      { from: 7 as never },
      { from: {} as never },
      { from: { index: 7, at: 0 } as never },
      { from: { index: '7', at: NaN } },
      { from: { index: '7', at: '0' } as never },
      { retention: NaN },
    ]) {
      throws(() => watch(poll, config), InputError);
    }
    for (const from of [
      '',
      '7',
      null,
      { index: '', at: 0 },
      { index: '7', at: 0 },
      { index: '7' } as never,
    ]) {
      watch(poll, { from });
    }
    watch(poll, { retention: Infinity });
    throws(
      () => watch(poll, { backoff: { initial: -5 } }),
      /backoff\.initial must be a number of milliseconds/,
    );
  });

  it('has at most one poll in flight for any order of answers, errors, wakes, subscribes and unsubscribes', () => {
    const outcome = constantFrom('answer', 'idle', 'error', 'nothing', 'hang');
    const moment = integer({ min: 1, max: 400 });
    // At least 1 ms: endless news without a pause would keep virtual time from advancing.
    const story = record({
      polls: array(tuple(outcome, integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 40 }),
      wakes: array(moment, { maxLength: 8 }),
      stops: array(moment, { maxLength: 4 }),
    });
    check(
      property(story, ({ polls, wakes, stops }) => {
        let inFlight = 0;
        let most = 0;
        marbles(({ expectObservable, flush }) => {
          let n = 0;
          const poll = () =>
            defer(() => {
              most = Math.max(most, ++inFlight);
              const [how, delay] = polls[n++ % polls.length]!;
              if (how === 'hang') return NEVER;
              const made = answer(String(n), ...(how === 'answer' ? [`event ${n}`] : []));
              return timer(delay).pipe(
                concatMap(() => {
                  if (how === 'error') return throwError(() => 'down');
                  return how === 'nothing' ? EMPTY : of(made);
                }),
              );
            }).pipe(finalize(() => inFlight--));
          const wake$ = merge(...wakes.map(at => timer(at)));
          const options = { read, timeout: 100, minInterval: 20, wake$, backoff: { initial: 5, max: 50 } };
          const watch$ = merge(of(0), ...stops.map(at => timer(at))).pipe(
            switchMap(() => watch(poll, options)),
          );
          expectObservable(watch$.pipe(ignoreElements()), '500ms !').toBe('');
          flush();
        })();
        strictEqual(most, 1);
        strictEqual(inFlight, 0);
      }),
      { numRuns: 200 },
    );
  });
});
