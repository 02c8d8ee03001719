import { deepStrictEqual } from 'node:assert';
import { asyncScheduler, defer, map, NEVER, of, take, takeWhile, tap } from 'rxjs';
import { watch, watchSignals, type Recovery } from 'lobby-rx';
import { watchSettings } from '../../src/stream/watch-settings.js';
import { continuingWatch } from '../../src/stream/continuing-watch.js';
import { marbles } from '../marbles.js';
import { answer, read, script, type Answer } from '../poll-script.js';
import { journal, word } from '../signal-journal.js';

const random = () => 1;

describe('a turn of the watch', () => {
  it(
    'emits a gap if it resumes from an empty index',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      for (const from of ['', { index: '', at: 0 }]) {
        const first = cold('-(a|)', { a: answer('1', 'x') });
        expectObservable(watchSignals(() => first, { from }).pipe(map(word), take(4))).toBe('c(lga|)', {
          c: 'connecting',
          g: 'index_missing',
          l: 'live',
          a: 'x',
        });
        expectSubscriptions(first.subscriptions).toBe('^!');
      }
    }),
  );

  it(
    'treats a repeated answer as idle even if idle answers came in between',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const last = cold('-(d|)', { d: answer('4', 'y') });
      const { asked, poll } = script(
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(b|)', { b: answer('2') }),
        cold('-(c|)', { c: answer('3', 'x') }),
        last,
      );
      expectObservable(watch(poll, { read, isState: true }), '-----!').toBe('-a--d', {
        a: answer('1', 'x'),
        d: answer('4', 'y'),
      });
      expectSubscriptions(last.subscriptions).toBe('---^!');
      flush();
      deepStrictEqual(asked, [undefined, '1', '2', '3', '4']);
    }),
  );

  it(
    'continues from the same index after a poll that a proxy cut off, without backoff or a new status',
    marbles(helpers => {
      const { cold, expectSubscriptions, flush } = helpers;
      const cut = cold<never>('5s #', undefined, '504');
      const down = cold<never>('#', undefined, 'reset');
      const { asked, poll } = script(cold('(a|)', { a: answer('1', 'x') }), cut, cut, down, cut, NEVER);
      const recovery = (error: unknown): Recovery => ({ kind: 'retry', mayBeCut: error === '504' });
      const config = { testing: { random: () => 0 }, recovery };
      const seen = journal(watchSignals(poll, config), helpers, '20s !');
      expectSubscriptions(cut.subscriptions).toBe(['^ 4999ms !', '5s ^ 4999ms !', '10s ^ 4999ms !']);
      expectSubscriptions(down.subscriptions).toBe('10s (^!)');
      flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 x', '10000 retrying', '12000 live']);
      deepStrictEqual(asked, [undefined, '1', '1', '1', '1', '1']);
    }),
  );

  it(
    'does not interrupt an acknowledgement when it wakes',
    marbles(({ cold, hot, expectObservable, expectSubscriptions, flush }) => {
      const ack = cold<never>('-----|');
      const next = cold<never>('-');
      const { asked, poll } = script(cold('-(a|)', { a: answer('1', 'x') }), next);
      const config = { testing: { random: () => 0 }, wake$: hot('---w'), ack: () => ack };
      expectObservable(watch(poll, config), '--------!').toBe('-a', { a: answer('1', 'x') });
      expectSubscriptions(ack.subscriptions).toBe('-^----!');
      expectSubscriptions(next.subscriptions).toBe('------^-!');
      flush();
      deepStrictEqual(asked, [undefined, '1']);
    }),
  );

  it(
    'stops at once on unsubscribe, during a poll, an ack or a wait, and unsubscribes from its wake source',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const unsub = '---!';
      const wakes = [cold('-'), cold('-'), cold('-')] as const;

      const hung = cold<never>('-');
      expectObservable(
        watch(() => hung, { wake$: wakes[0] }),
        unsub,
      ).toBe('');
      expectSubscriptions(hung.subscriptions).toBe('^--!');

      const ack = cold<never>('-');
      const acknowledged = script(cold('-(a|)', { a: answer('1', 'x') }), NEVER);
      expectObservable(watch(acknowledged.poll, { wake$: wakes[1], ack: () => ack }), unsub).toBe('-a', {
        a: answer('1', 'x'),
      });
      expectSubscriptions(ack.subscriptions).toBe('-^-!');

      const polls: number[] = [];
      const broken = cold<never>('-#').pipe(tap({ subscribe: () => polls.push(asyncScheduler.now()) }));
      expectObservable(
        watch(() => broken, { wake$: wakes[2], testing: { random } }),
        unsub,
      ).toBe('');

      for (const wake$ of wakes) expectSubscriptions(wake$.subscriptions).toBe('^--!');
      flush();
      deepStrictEqual([acknowledged.asked, polls], [[undefined], [0]]);
    }),
  );

  it('needs no timer before the next poll if it had news', async () => {
    const { asked, poll } = script(of(answer('1', 'x')), of(answer('2', 'y')));
    const watching = watch(poll).subscribe();
    // A microtask each.
    for (let i = 0; i < 20; i++) await Promise.resolve();
    watching.unsubscribe();
    deepStrictEqual(asked, [undefined, '1', '2']);
  });
});

describe('a watch that is subscribed to again', () => {
  it(
    'gets an answer again if its subscriber left with it, or before it, and goes on after one that was taken',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const first = cold('-(a|)', { a: answer('1', 'x') });
      const hung = cold<never>('-');
      const { asked, poll } = script(first, first, first, hung, hung);
      const signals = continuingWatch(
        index => poll(index).pipe(map(given => ({ answer: given }))),
        watchSettings<Answer>({}),
      );
      const until = (last: string) =>
        defer(() => signals()).pipe(
          map(word),
          takeWhile(text => text !== last, true),
        );
      const words = { c: 'connecting', l: 'live', x: 'x' };
      expectObservable(until('live')).toBe('             c(l|)', words);
      expectObservable(until('x'), '    -----^').toBe('-----c(lx|)', words);
      expectObservable(until('nothing'), '----------^----!').toBe('----------c(lx)', words);
      expectObservable(until('nothing'), '--------------------^---!').toBe('--------------------c', words);
      expectSubscriptions(hung.subscriptions).toBe(['-----------^---!', '--------------------^---!']);
      flush();
      deepStrictEqual(asked, [undefined, undefined, undefined, '1', '1']);
    }),
  );
});
