import { deepStrictEqual } from 'node:assert';
import { array, assert as check, boolean, integer, property, record } from 'fast-check';
import { asyncScheduler, filter, map, NEVER, of, tap, timer, type Observable } from 'rxjs';
import { watchSignals, type Poll, type WatchSignal } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, read, script, type Answer } from '../poll-script.js';
import { journal, word } from '../signal-journal.js';
import { runs } from '../runs.js';
import { virtualTime } from '../virtual-time.js';

const words = (signals$: Observable<WatchSignal<Answer>>) =>
  signals$.pipe(
    filter(({ kind }) => kind !== 'checkpoint'),
    map(word),
  );

describe('the age of an index', () => {
  it(
    'may expire while a poll is open: that goes on, and the gap comes before its answer',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const { poll } = script(
        cold('(a|)', { a: answer('1', 'x') }),
        cold('150ms (b|)', { b: answer('2', 'y') }),
        cold('-(c|)', { c: answer('900', 'z') }),
      );
      const seen = journal(
        watchSignals(poll, { retention: 100, testing: { monotonic: asyncScheduler } }),
        helpers,
        '155ms !',
      );
      flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 x', '150 silence', '150 y', '151 z']);
    }),
  );

  it(
    'is 297 s, until the answer begins to arrive',
    marbles(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const late = cold('17002ms (a|)', { a: answer('8', 'x') });
      const { asked, poll } = script(late);
      const signals$ = watchSignals(poll, { from: { index: '7', at: -280_000 }, retention: 300_000 });
      expectObservable(words(signals$), '18s !').toBe('c 1999ms l 15001ms (sx)', {
        c: 'connecting',
        l: 'live',
        s: 'silence',
        x: 'x',
      });
      expectSubscriptions(late.subscriptions).toBe('^ 17001ms !');
      flush();
      deepStrictEqual(asked, ['7', '8']);
    }),
  );

  it(
    'does not expire while the answer is arriving; the gap comes before the one after it',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const slow = cold('150s (a|)', { a: answer('8', 'x') });
      const next = cold('-(b|)', { b: answer('9', 'y') });
      const polls = [slow, next];
      const poll: Poll<Answer> = (_, { onArrival }) =>
        polls.length === 2 ? polls.shift()!.pipe(arrivingAt(16_000, onArrival)) : (polls.shift() ?? NEVER);
      const signals$ = watchSignals(poll, { from: { index: '7', at: -280_000 }, retention: 300_000 });
      expectObservable(words(signals$), '151s !').toBe('c 1999ms l 147999ms x(sy)', {
        c: 'connecting',
        l: 'live',
        s: 'silence',
        x: 'x',
        y: 'y',
      });
      expectSubscriptions(slow.subscriptions).toBe('^ 149999ms !');
    }),
  );

  describe('of a watch whose wall clock is set', () => {
    /** The gaps of a watch whose wall clock makes a step of `step` ms at this time. */
    const gapsAfter = (
      step: number,
      at: number,
      answers: readonly { readonly isNews: boolean; readonly after: number }[],
    ) => {
      const { scheduler: virtual, pass } = virtualTime();
      let offset = 0;
      const now = { value: () => virtual.now() + offset };
      const scheduler = Object.create(virtual, { now }) as typeof virtual;
      let polls = 0;
      const poll = () => {
        const { isNews, after } = answers[polls++ % answers.length]!;
        const made = polls === 1 || isNews ? answer(`${polls}`, `event ${polls}`) : answer(`${polls}`);
        return polls === 1 ? of(made) : timer(after, virtual).pipe(map(() => made));
      };
      const gaps: string[] = [];
      const watching = watchSignals(poll, {
        scheduler,
        testing: { monotonic: virtual },
        read,
        retention: 300_000,
      }).subscribe(signal => {
        if (signal.kind === 'gap') gaps.push(signal.gap.reason);
      });
      pass(at);
      offset = step;
      pass(600_000);
      watching.unsubscribe();
      return gaps;
    };
    const anyAnswers = array(record({ isNews: boolean(), after: integer({ min: 2_000, max: 60_000 }) }), {
      minLength: 1,
      maxLength: 20,
    });

    it('is too high, once, if the clock is set forward by ten minutes', () => {
      check(
        property(anyAnswers, integer({ min: 1, max: 200_000 }), (answers, at) => {
          deepStrictEqual(gapsAfter(600_000, at, answers), ['silence']);
        }),
        { numRuns: runs(200) },
      );
    });

    it('is not too high if the clock is set back', () => {
      check(
        property(anyAnswers, integer({ min: 1, max: 200_000 }), (answers, at) => {
          deepStrictEqual(gapsAfter(-600_000, at, answers), []);
        }),
        { numRuns: runs(200) },
      );
    });
  });
});

/** Calls `onArrival` after `ms` ms. */
function arrivingAt<T>(ms: number, onArrival: () => void) {
  return tap<T>({ subscribe: () => asyncScheduler.schedule(onArrival, ms) });
}
