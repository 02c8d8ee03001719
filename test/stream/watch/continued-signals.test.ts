import { deepStrictEqual, ok } from 'node:assert';
import { asyncScheduler, BehaviorSubject, map, NEVER, of, takeUntil, takeWhile, tap, timer } from 'rxjs';
import { watch, watchSignals } from 'lobby-rx';
import { continuedSignals } from '../../../src/stream/watch/continued-signals.js';
import { isRealTime } from '../../../src/stream/watch/watch-index.js';
import { watchSettings } from '../../../src/stream/watch/watch-config.js';
import { repeatMemory } from '../../../src/stream/watch/watch-memory.js';
import { marbles } from '../../marbles.js';
import { virtualTime } from '../../virtual-time.js';
import { answer, script, type Answer } from '../../poll-script.js';
import { word } from '../../signal-journal.js';

describe('the time of a watch', () => {
  it('is real with the asyncScheduler, and with what is derived from it', () => {
    const derived = Object.create(asyncScheduler) as typeof asyncScheduler;
    deepStrictEqual(
      [asyncScheduler, derived, virtualTime().scheduler].map(scheduler => isRealTime(scheduler)),
      [true, true, false],
    );
  });
});

describe('a watch that continues', () => {
  it(
    'gets an answer again if its subscriber left with it, or before it',
    marbles(({ cold, expectObservable, flush }) => {
      const { asked, poll } = script(
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(a|)', { a: answer('1', 'x') }),
      );
      const signals$ = continuedSignals(poll, watchSettings({}), { memory: repeatMemory() });
      const words$ = signals$.pipe(map(word));
      const left$ = words$.pipe(takeWhile(text => text !== 'live', true));
      expectObservable(left$).toBe('c(l|)', {
        ...{ c: 'connecting', l: 'live' },
      });
      const again$ = words$.pipe(takeWhile(text => text !== 'x', true));
      expectObservable(again$, '-----^').toBe('-----c(lx|)', { c: 'connecting', l: 'live', x: 'x' });
      expectObservable(again$, '----------^').toBe('----------c(lx|)', {
        c: 'connecting',
        l: 'live',
        x: 'x',
      });
      flush();
      deepStrictEqual(asked, [undefined, undefined, undefined]);
    }),
  );

  it(
    'polls on after a failure while nobody is there, and holds the answer until somebody is',
    marbles(({ cold, flush }) => {
      const { asked, poll } = script(
        cold<never>('-#'),
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(b|)', { b: answer('2', 'y') }),
      );
      const isPresent$ = new BehaviorSubject(false);
      const settings = watchSettings<Answer>({ random: () => 0, backoff: { initial: 10, max: 10 } });
      const audience = { isPresent$, split: (whole: Answer) => [whole] };
      const seen: string[] = [];
      continuedSignals(poll, settings, { memory: repeatMemory(), audience })
        .pipe(takeUntil(timer(2_000)))
        .subscribe(signal => seen.push(`${asyncScheduler.now()} ${word(signal)}`));
      asyncScheduler.schedule(() => {
        deepStrictEqual([asked.length, seen.at(-1)!.split(' ')[1]], [2, 'retrying']);
        isPresent$.next(true);
      }, 1_000);
      flush();
      deepStrictEqual(
        seen.filter(line => !/connecting|retrying/.test(line)),
        ['1000 live', '1000 x', '1001 y'],
      );
    }),
  );

  it(
    'remembers the part of an answer that was delivered, unless the whole has to be acknowledged',
    marbles(({ cold, flush }) => {
      const remembered = (
        ack: (() => void) | undefined,
        commitParts?: (whole: Answer, count: number) => void,
      ) => {
        const { poll } = script(cold('-(a|)', { a: answer('1', 'x', 'y') }));
        const isPresent$ = new BehaviorSubject(true);
        const audience = {
          isPresent$,
          split: ({ events, ...rest }: Answer) => events.map(event => ({ ...rest, events: [event] })),
        };
        const memory = { ...repeatMemory<Answer>(), ...(commitParts && { commitParts }) };
        continuedSignals(poll, watchSettings<Answer>({ ...(ack && { ack }) }), { memory, audience })
          .pipe(
            tap(signal => isPresent$.next(word(signal) !== 'x')),
            takeWhile(signal => word(signal) !== 'x'),
          )
          .subscribe();
      };
      const parts: [string, number][] = [];
      const note = (name: string) => (_: Answer, count: number) => void parts.push([name, count]);
      remembered(undefined, note('delivered'));
      remembered(() => undefined, note('to be acknowledged'));
      // A memory that knows no parts.
      remembered(undefined);
      flush();
      deepStrictEqual(parts, [['delivered', 1]]);
    }),
  );

  it(
    'ends with what keyOf throws, even if it throws only when the answer has been delivered',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      let calls = 0;
      const keyOf = () => {
        if (++calls > 1) throw 'a bug';
        return 1;
      };
      const first = cold('-(a|)', { a: answer('1', 'x') });
      const { poll } = script(first);
      expectObservable(watch(poll, { keyOf })).toBe('-(a#)', { a: answer('1', 'x') }, 'a bug');
      expectSubscriptions(first.subscriptions).toBe('^!');
    }),
  );

  it(
    'spreads its polls after a wake over a second, and over more if the process has more than a thousand watches',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      // Their polls never end, and they have gone before the last wake.
      const crowd = Array.from({ length: 3_000 }, () => watchSignals(() => NEVER, { wake$: NEVER }));
      const watching = crowd.map(signals$ => signals$.subscribe());
      asyncScheduler.schedule(() => watching.forEach(one => one.unsubscribe()), 20_000);
      const polls = [cold<never>('-'), cold<never>('-'), cold<never>('-')] as const;
      const wake$ = cold('10s w 19999ms w');
      expectObservable(watchSignals(script(...polls).poll, { wake$, random: () => 0.5 }), '40s !');
      // Half of 1,000 ms.
      expectSubscriptions(polls[2].subscriptions).toBe('30500ms ^ 9499ms !');
      flush();
      // Half of 3,001 ms; other tests of this process may have left some watches open.
      const spread = polls[1].subscriptions[0]!.subscribedFrame - 10_000;
      ok(spread >= 1_500 && spread < 1_900, `${spread} ms`);
    }),
  );

  it('needs no timer between an answer with news and the next poll', async () => {
    const { asked, poll } = script(of(answer('1', 'x')), of(answer('2', 'y')));
    const watching = watch(poll, { wake$: NEVER }).subscribe();
    // A microtask each.
    for (let i = 0; i < 20; i++) await Promise.resolve();
    watching.unsubscribe();
    deepStrictEqual(asked, [undefined, '1', '2']);
  });
});
