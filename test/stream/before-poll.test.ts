import { deepStrictEqual, strictEqual } from 'node:assert';
import { EMPTY, NEVER, of, Subject, throwError, timer } from 'rxjs';
import { watch, watchSignals, type WatchLogEntry } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, script, type Answer } from '../poll-script.js';
import { journal } from '../signal-journal.js';
import { virtualTime } from '../virtual-time.js';

describe('the beforePoll of a watch', () => {
  it(
    'is asked for before each poll, which is sent when it is given',
    marbles(({ cold, flush, expectSubscriptions }) => {
      const polls = [
        cold('--(a|)', { a: answer('1', 'x') }),
        cold('-(a|)', { a: answer('2', 'y') }),
        cold<Answer>('-'),
      ];
      const { poll } = script(...polls);
      let calls = 0;
      const beforePoll = () => timer(10 * ++calls);
      const watching = watch(poll, { beforePoll }).subscribe();
      timer(100).subscribe(() => watching.unsubscribe());
      flush();
      expectSubscriptions(polls[0]!.subscriptions).toBe('10ms ^-!');
      expectSubscriptions(polls[1]!.subscriptions).toBe('32ms ^!');
      expectSubscriptions(polls[2]!.subscriptions).toBe('63ms ^ 36ms !');
    }),
  );

  it(
    'allows the poll by completing, and is unsubscribed from with the watch',
    marbles(({ cold, expectSubscriptions, expectObservable }) => {
      const beforePoll$ = cold('---|');
      const poll$ = cold<never>('-');
      expectObservable(
        watch(() => poll$, { beforePoll: () => beforePoll$ }),
        '--!',
      ).toBe('-');
      expectSubscriptions(beforePoll$.subscriptions).toBe('^-!');
      expectSubscriptions(poll$.subscriptions).toBe([]);
    }),
  );

  it('is in the log if it takes longer than 30 s, and no status is emitted for it', () => {
    const { scheduler, pass } = virtualTime();
    const start = scheduler.now();
    const slow: (readonly [number, string])[] = [];
    let statuses = 0;
    const log = (entry: WatchLogEntry) => {
      if (entry.kind === 'slow') slow.push([entry.at - start, entry.callback]);
      if (entry.kind === 'status') statuses++;
    };
    let calls = 0;
    // The second one is held up, the third one never ends.
    const waits = [of(0), timer(40_000, scheduler), NEVER];
    const beforePoll = () => waits[calls++] ?? EMPTY;
    const poll = () => of(answer(String(calls), 'x'));
    const watching = watch(poll, { beforePoll, scheduler, log, minInterval: 0 }).subscribe();
    pass(29_000);
    deepStrictEqual([slow, statuses], [[], 2]);
    pass(300_000);
    watching.unsubscribe();
    deepStrictEqual(slow, [
      [30_000, 'beforePoll'],
      [70_000, 'beforePoll'],
    ]);
    deepStrictEqual([calls, statuses], [3, 2]);
  });

  it('does not count as a part of the poll: its timeout begins when it is sent', () => {
    const { scheduler, pass } = virtualTime();
    const start = scheduler.now();
    const sent: number[] = [];
    const poll = () => {
      sent.push(scheduler.now() - start);
      return NEVER;
    };
    const beforePoll = () => timer(100_000, scheduler);
    const watching = watch(poll, {
      beforePoll,
      scheduler,
      timeout: 70_000,
      testing: { random: () => 0 },
    }).subscribe();
    pass(280_000);
    deepStrictEqual(sent, [100_000, 270_000]);
    watching.unsubscribe();
  });

  it(
    'counts as a failed poll if it fails, and the next one waits',
    marbles(helpers => {
      const { poll } = script(of(answer('1', 'x')));
      let calls = 0;
      const beforePoll = () => {
        if (++calls === 2) throw new Error('no budget at all');
        return calls === 1 ? throwError(() => new Error('no budget')) : NEVER;
      };
      const seen = journal(
        watchSignals(poll, { beforePoll, testing: { random: () => 0.5 } }),
        helpers,
        '5s !',
      );
      helpers.flush();
      strictEqual(calls, 3);
      strictEqual(
        seen.some(line => line.includes('retrying')),
        true,
      );
    }),
  );

  it('is not asked for again by a wake, after which the poll has a new connection', () => {
    const { scheduler, pass } = virtualTime();
    const wake$ = new Subject<void>();
    const allowed$ = new Subject<void>();
    let calls = 0;
    const fresh: boolean[] = [];
    const watching = watch(
      (_, { needsFreshConnection }) => {
        fresh.push(needsFreshConnection);
        return NEVER;
      },
      {
        beforePoll: () => {
          calls++;
          return allowed$;
        },
        wake$,
        scheduler,
      },
    ).subscribe();
    wake$.next();
    pass(5_000);
    allowed$.next();
    deepStrictEqual([calls, fresh], [1, [true]]);
    watching.unsubscribe();
    strictEqual(allowed$.observed, false);
  });
});
