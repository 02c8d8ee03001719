import { deepStrictEqual } from 'node:assert';
import { map } from 'rxjs';
import type { WatchSignal } from 'lobby-rx';
import { queuedSignals } from '../../../src/stream/feed/audience.js';
import { marbles } from '../../marbles.js';
import { answer, type Answer } from '../../poll-script.js';
import { stateWith } from '../../transition.js';
import { shortSignal, singleEvents } from './short-signal.js';

describe('queuedSignals', () => {
  const checkpoint = { index: '2', at: 5 };
  const signals: Record<string, WatchSignal<Answer>> = {
    a: { kind: 'answer', answer: answer('2', 'a', 'b', 'c'), checkpoint },
    g: { kind: 'gap', gap: { reason: 'silence', at: 0, index: '1' } },
    s: { kind: 'status', status: stateWith().status },
    i: { kind: 'checkpoint', checkpoint },
  };

  it(
    'runs the watch while the audience is active, and queues all but the status while it is absent',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const watch$ = cold('     s-a-gs--');
      const source$ = watch$.pipe(map(name => signals[name]!));
      const isActive$ = cold(' -t-------f', { t: true, f: false });
      const isAbsent$ = cold(' f-t-----f-', { t: true, f: false });
      const words$ = queuedSignals(() => source$, { isAbsent$, isActive$, split: singleEvents }).pipe(
        map(shortSignal),
      );
      expectObservable(words$, '------------!').toBe('-s----s-(abcg)', {
        s: 'live',
        a: 'a',
        b: 'b',
        c: 'c.',
        g: 'silence',
      });
      expectSubscriptions(watch$.subscriptions).toBe('-^-------!');
    }),
  );

  it(
    'drops the queued signals when the audience returns, if `drops` says so of their number',
    marbles(({ cold, expectObservable, flush }) => {
      const counts: number[] = [];
      const drops = (count: number) => {
        counts.push(count);
        return count > 1;
      };
      const run = () => cold('a---i-').pipe(map(name => signals[name]!));
      const isActive$ = cold('t', { t: true });
      const isAbsent$ = cold('t-f-tf', { t: true, f: false });
      const words$ = queuedSignals(run, { isAbsent$, isActive$, split: singleEvents }, drops).pipe(
        map(shortSignal),
      );
      expectObservable(words$, '------!').toBe('-----i', { i: 'checkpoint' });
      flush();
      deepStrictEqual(counts, [3, 1]);
    }),
  );
});
