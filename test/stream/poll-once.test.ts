import { deepStrictEqual } from 'node:assert';
import { asyncScheduler, NEVER, throwError } from 'rxjs';
import { watchSignals } from 'lobby-rx';
import { longestWait } from '../longest-wait.js';
import { marbles } from '../marbles.js';
import { answer, script } from '../poll-script.js';
import { journal } from '../signal-journal.js';

const random = () => 0;

describe('one poll of a watch', () => {
  it(
    'is aborted by a wake, but not on a new connection that is younger than a second',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const polled = (wake: string, ...[first, second]: readonly string[]) => {
        const polls = [cold<never>('-'), cold<never>('-')] as const;
        const signals$ = watchSignals(script(...polls).poll, {
          timeout: 5_000,
          wake$: cold(wake),
          testing: { random },
        });
        expectObservable(signals$, '8s !');
        expectSubscriptions(polls[0].subscriptions).toBe(first!);
        expectSubscriptions(polls[1].subscriptions).toBe(second!);
      };
      // The second poll is on a new connection, because nothing came on the first one.
      polled('5999ms w', '^ 4999ms !', '5s ^ 2999ms !');
      polled('6s w', '     ^ 4999ms !', '5s ^ 999ms !');
      // The first one may be on an old one.
      polled('500ms w', '  ^ 499ms !', ' 500ms ^ 4999ms !');
    }),
  );

  it(
    'has failed if the function throws, or returns no Observable',
    marbles(helpers => {
      let nth = 0;
      const poll = () => {
        nth++;
        if (nth === 1) throw new Error('no connection');
        if (nth === 2) return undefined as never;
        return helpers.cold('9ms (a|)', { a: answer('1', 'x') });
      };
      const backoff = { initial: 10, max: 10 };
      const signals$ = watchSignals(poll, { testing: { random: longestWait }, backoff });
      const seen = journal(signals$, helpers, '35ms !');
      helpers.flush();
      deepStrictEqual(seen, ['0 connecting', '0 retrying', '10 retrying', '29 live', '29 x']);
    }),
  );

  it(
    'is followed by a wait that a wake cuts short if it fails at once',
    marbles(({ cold, flush }) => {
      const times: number[] = [];
      const poll = () => {
        times.push(asyncScheduler.now());
        return throwError(() => 'down');
      };
      const chances = [1, 0];
      const config = {
        testing: { random: () => chances.shift() ?? 0.999 },
        backoff: { initial: 60_000, max: 60_000 },
      };
      const watching = watchSignals(poll, { ...config, wake$: cold('5s w') }).subscribe();
      asyncScheduler.schedule(() => watching.unsubscribe(), 30_000);
      flush();
      deepStrictEqual(times, [0, 5_000]);
    }),
  );

  it(
    'is a sign of life if it is held from an index for two seconds, but not if the timeout ends it first',
    marbles(helpers => {
      const seen = [2_000, 2_001].map(timeout =>
        journal(
          watchSignals(() => NEVER, { from: '1', timeout, testing: { random: () => 0.5 } }),
          helpers,
          '2400ms !',
        ),
      );
      helpers.flush();
      deepStrictEqual(seen, [['0 connecting'], ['0 connecting', '2000 live']]);
    }),
  );

  it(
    'is followed by a random wait of up to a second after a timeout, which many polls may reach together',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const hung = cold<never>('-');
      const timeout = 290_000;
      expectObservable(
        watchSignals(() => hung, { from: '1', timeout, testing: { random: () => 0.5 } }),
        '600s !',
      );
      expectSubscriptions(hung.subscriptions).toBe([
        '^ 289999ms !',
        '290500ms ^ 289999ms !',
        '581s ^ 18999ms !',
      ]);
    }),
  );
});
