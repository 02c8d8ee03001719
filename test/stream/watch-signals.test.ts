import { deepStrictEqual, strictEqual } from 'node:assert';
import {
  asyncScheduler,
  concat,
  defer,
  filter,
  ignoreElements,
  map,
  NEVER,
  of,
  take,
  throwError,
  type Observable,
} from 'rxjs';
import { watchSignals, type Recovery, type WatchLogEntry, type WatchSignal } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, read, script, type Answer } from '../poll-script.js';
import { journal, word } from '../signal-journal.js';

const random = () => 1;
const refuse = (): Recovery => ({ kind: 'index' });

const words = (signals$: Observable<WatchSignal<Answer>>) =>
  signals$.pipe(
    filter(({ kind }) => kind !== 'checkpoint'),
    map(word),
  );

describe('watchSignals', () => {
  it(
    'is connecting, then live; retrying after a failure, and live again',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const { poll } = script(
        cold('--(a|)', { a: answer('1', 'x') }),
        cold<never>('---#'),
        cold('--(b|)', { b: answer('2', 'y') }),
      );
      const seen = journal(
        watchSignals(poll, { testing: { random }, backoff: { initial: 5 } }),
        helpers,
        '20ms !',
      );
      flush();
      deepStrictEqual(seen, ['0 connecting', '2 live', '2 x', '5 retrying', '12 live', '12 y']);
    }),
  );

  it(
    'has the checkpoint of each answer, with news or without',
    marbles(({ cold, expectObservable }) => {
      const { poll } = script(
        cold('--(a|)', { a: answer('1', 'x') }),
        cold('---(b|)', { b: answer('2') }),
        cold('-(c|)', { c: answer('3', 'y') }),
      );
      const positions$ = watchSignals(poll, { read }).pipe(
        map(signal => ('checkpoint' in signal ? [signal.kind, signal.checkpoint] : undefined)),
        filter(position => position !== undefined),
      );
      expectObservable(positions$, '10ms !').toBe('--a--bc', {
        a: ['answer', { index: '1', at: 0 }],
        b: ['checkpoint', { index: '2', at: 2 }],
        c: ['answer', { index: '3', at: 5 }],
      });
    }),
  );

  it(
    'reports how often it failed, why, and when it will try again',
    marbles(({ cold, expectObservable }) => {
      const { poll } = script(cold<never>('--#', undefined, 'down'), cold<never>('#', undefined, 'down'));
      const status$ = watchSignals(poll, {
        testing: { random },
        backoff: { initial: 5 },
        recovery: () => ({ kind: 'retry', offline: true }),
      }).pipe(map(signal => (signal.kind === 'status' ? signal.status : signal)));
      const common = { lastAnswer: undefined, hint: undefined };
      expectObservable(status$, '10ms !').toBe('a-b----c', {
        a: { ...common, state: 'connecting', since: 0, attempt: 0, nextTry: undefined, error: undefined },
        b: { ...common, state: 'offline', since: 2, attempt: 1, nextTry: 7, error: 'down' },
        c: { ...common, state: 'offline', since: 2, attempt: 2, nextTry: 17, error: 'down' },
      });
    }),
  );

  it(
    'is no longer live after 150 s without contact, and has a hint',
    marbles(({ expectObservable }) => {
      let polls = 0;
      const poll = () => (polls++ === 0 ? of(answer('1', 'x')) : NEVER);
      const signals$ = watchSignals(poll, { timeout: 50_000, testing: { random: () => 0 } });
      const hints$ = signals$.pipe(
        map(signal => signal.kind === 'status' && signal.status.hint !== undefined),
      );
      expectObservable(hints$.pipe(filter(Boolean)), '160s !').toBe('150s t', { t: true });
      const again$ = watchSignals(script(of(answer('1', 'x')), NEVER, NEVER, NEVER).poll, {
        timeout: 50_000,
        testing: { random: () => 0 },
      });
      expectObservable(words(again$), '160s !').toBe('(clx) 149995ms r', {
        c: 'connecting',
        l: 'live',
        x: 'x',
        r: 'retrying',
      });
    }),
  );

  it(
    'is closed before the error it ends with',
    marbles(({ cold, expectObservable }) => {
      const { poll } = script(cold<never>('-#', undefined, 'gone'));
      const signals$ = words(watchSignals(poll, { recovery: () => ({ kind: 'end' }) }));
      expectObservable(signals$).toBe('c(d#)', { c: 'connecting', d: 'closed' }, 'gone');
    }),
  );

  it(
    'emits a gap after the index was refused, before the next answer',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const { asked, poll } = script(
        cold('(a|)', { a: answer('7', 'x') }),
        cold<never>('-#'),
        cold('-(b|)', { b: answer('1', 'y') }),
      );
      const seen = journal(
        watchSignals(poll, { testing: { random: () => 0 }, recovery: refuse }),
        helpers,
        '5ms !',
      );
      flush();
      deepStrictEqual(seen, [
        '0 connecting',
        '0 live',
        '0 x',
        '1 retrying',
        '2 live',
        '2 index_rejected',
        '2 y',
      ]);
      deepStrictEqual(asked, [undefined, '7', undefined, '1']);
    }),
  );

  it(
    'keeps the index through any number of failures, as long as the service may know it',
    marbles(({ cold, expectObservable, flush }) => {
      const bad = Array.from({ length: 40 }, () => cold<never>('#', undefined, '500'));
      const { asked, poll } = script(
        cold('(a|)', { a: answer('7', 'x') }),
        ...bad,
        cold('(b|)', { b: answer('9', 'y') }),
      );
      const config = { testing: { random: () => 0 }, minInterval: 0, retention: 300_000 };
      expectObservable(watchSignals(poll, config).pipe(map(word)), '-----!');
      flush();
      deepStrictEqual(asked, [undefined, ...Array<string>(41).fill('7'), '9']);
    }),
  );

  it(
    'emits a gap when the service answers again, not while it is down and a reload would fail',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const down = Array.from({ length: 8 }, () => cold<never>('#', undefined, '503'));
      const { poll } = script(
        cold('(a|)', { a: answer('7', 'x') }),
        ...down,
        cold('-(b|)', { b: answer('90') }),
        cold('-(c|)', { c: answer('91', 'y') }),
      );
      const recovery = (): Recovery => ({ kind: 'retry', dropsIndex: true });
      const config = {
        read,
        testing: { random },
        recovery,
        minInterval: 0,
        backoff: { initial: 10, max: 10 },
      };
      const seen = journal(watchSignals(poll, config), helpers, '90ms !');
      flush();
      const lines = seen.filter(line => !line.endsWith('retrying'));
      deepStrictEqual(lines, ['0 connecting', '0 live', '0 x', '81 live', '81 index_rejected', '82 y']);
    }),
  );

  it(
    'emits a gap if the index went backwards, was missing, or is older than the retention',
    marbles(({ cold, expectObservable, flush }) => {
      const seen: string[] = [];
      const { poll } = script(
        cold('-(a|)', { a: answer('100', 'a') }),
        cold('-(b|)', { b: answer('99', 'b') }),
        cold('-(c|)', { c: answer('', 'c') }),
        cold('-(d|)', { d: answer('', 'd') }),
        cold('-(e|)', { e: answer('200', 'e') }),
        cold<never>('110ms #'),
        cold('60ms (f|)', { f: answer('300', 'f') }),
      );
      const signals$ = watchSignals(poll, {
        testing: { random, monotonic: asyncScheduler },
        retention: 100,
        minInterval: 5,
        backoff: { initial: 1 },
      });
      expectObservable(signals$.pipe(map(signal => seen.push(word(signal)))), '300ms !');
      flush();
      deepStrictEqual(seen, [
        'connecting',
        'live',
        'a',
        'index_backwards',
        'b',
        'c',
        'index_missing',
        'd',
        'index_missing',
        'e',
        'retrying',
        'live',
        'silence',
        'f',
      ]);
    }),
  );

  it(
    'resumes from an index or a checkpoint, with a gap if the checkpoint is expired',
    marbles(({ cold, expectObservable, flush }) => {
      const resumed = script(cold('(a|)', { a: answer('8', 'x') }));
      const late = script(cold('(a|)', { a: answer('8', 'x') }));
      const timely = script(cold('(a|)', { a: answer('8', 'x') }));
      expectObservable(words(watchSignals(resumed.poll, { from: '7' })), '-!').toBe('(clx)', {
        c: 'connecting',
        l: 'live',
        x: 'x',
      });
      const from = { index: '7', at: -298 };
      expectObservable(
        words(watchSignals(late.poll, { from, retention: 300, testing: { monotonic: asyncScheduler } })),
        '-!',
      ).toBe('(clsx)', {
        c: 'connecting',
        s: 'silence',
        l: 'live',
        x: 'x',
      });
      const recent = { index: '7', at: -297 };
      expectObservable(
        words(
          watchSignals(timely.poll, { from: recent, retention: 300, testing: { monotonic: asyncScheduler } }),
        ),
        '-!',
      ).toBe('(clx)', {
        c: 'connecting',
        l: 'live',
        x: 'x',
      });
      const lastAnswer$ = watchSignals(() => NEVER, { from: recent }).pipe(
        map(signal => signal.kind === 'status' && signal.status.lastAnswer),
      );
      expectObservable(lastAnswer$, '-!').toBe('a', { a: -297 });
      flush();
      deepStrictEqual([resumed.asked[0], late.asked[0], timely.asked[0]], ['7', '7', '7']);
    }),
  );

  it(
    'starts from now, with a gap, if it resumes from an empty index',
    marbles(({ cold, expectObservable, flush }) => {
      const words = ['', { index: '', at: 0 }].map(from => {
        const seen: string[] = [];
        const { asked, poll } = script(cold('(a|)', { a: answer('8', 'x') }));
        const signals$ = watchSignals(poll, { from }).pipe(map(signal => seen.push(word(signal))));
        expectObservable(signals$, '-!');
        return { seen, asked };
      });
      flush();
      for (const { seen, asked } of words) {
        deepStrictEqual(seen, ['connecting', 'live', 'index_missing', 'x']);
        deepStrictEqual(asked, [undefined, '8']);
      }
    }),
  );

  it(
    'starts from now, without a gap, if there is nothing to resume from',
    marbles(({ cold, expectObservable, flush }) => {
      const { asked, poll } = script(cold('(a|)', { a: answer('8', 'x') }));
      expectObservable(words(watchSignals(poll, { from: null })), '-!').toBe('(clx)', {
        c: 'connecting',
        l: 'live',
        x: 'x',
      });
      flush();
      deepStrictEqual(asked, [undefined, '8']);
    }),
  );

  it(
    'logs each status, each turn and each gap, with an id for each watch',
    marbles(({ cold, expectObservable, flush }) => {
      const answers = () => [
        cold('-(a|)', { a: answer('9', 'x') }),
        cold<never>('-#', undefined, 'down'),
        cold('-(b|)', { b: answer('8', 'y') }),
      ];
      const logs = [0, 1].map(() => {
        const entries: WatchLogEntry[] = [];
        const config = {
          testing: { random },
          backoff: { initial: 5 },
          log: (entry: WatchLogEntry) => entries.push(entry),
        };
        expectObservable(watchSignals(script(...answers()).poll, config), '10ms !');
        return entries;
      });
      flush();
      const [watchId, another] = logs.map(([first]) => first!.watchId);
      strictEqual(another, watchId! + 1);
      const fine = { attempt: 0, error: undefined };
      const states = logs[0]!.flatMap(entry =>
        entry.kind === 'status' ? [{ at: entry.at, state: entry.status.state }] : [],
      );
      deepStrictEqual(states, [
        { at: 0, state: 'connecting' },
        { at: 1, state: 'live' },
        { at: 2, state: 'retrying' },
        { at: 8, state: 'live' },
      ]);
      deepStrictEqual(
        logs[0]!.filter(({ kind }) => kind !== 'status'),
        [
          { at: 1, watchId, kind: 'poll_end', why: 'news', wait: 0, ...fine },
          { at: 2, watchId, kind: 'poll_end', why: 'failed', wait: 5, attempt: 1, error: 'down' },
          { at: 8, watchId, kind: 'gap', reason: 'index_backwards', index: '9' },
          { at: 8, watchId, kind: 'poll_end', why: 'news', wait: 0, ...fine },
        ],
      );
    }),
  );

  it('logs a status before it is emitted, and a turn after its signals', () => {
    const seen: string[] = [];
    watchSignals(() => throwError(() => 'down'), {
      recovery: () => ({ kind: 'end' }),
      log: entry => seen.push(entry.kind === 'poll_end' ? entry.why : entry.kind),
    }).subscribe({
      next: signal => seen.push(signal.kind === 'status' ? signal.status.state : signal.kind),
      error: (error: unknown) => seen.push(String(error)),
    });
    deepStrictEqual(seen, ['status', 'connecting', 'status', 'closed', 'ended', 'down']);
  });

  it('sends nothing for a subscriber that leaves with the first status', () => {
    const { asked, poll } = script(NEVER);
    const seen: string[] = [];
    watchSignals(poll)
      .pipe(take(1))
      .subscribe(({ kind }) => seen.push(kind));
    deepStrictEqual([seen, asked], [['status'], []]);
  });

  it(
    'ends if a callback of the config throws, with the status closed',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const thrown = new Error('a bug');
      const bug = () => {
        throw thrown;
      };
      const once = cold('-(a|)', { a: answer('1', 'x') });
      const lost = cold<never>('-#');
      for (const config of [{ indexOf: bug }, { read: bug }]) {
        const signals$ = words(watchSignals(() => once, config));
        expectObservable(signals$).toBe('a(b#)', { a: 'connecting', b: 'closed' }, thrown);
      }
      expectSubscriptions(once.subscriptions).toBe(['^!', '^!']);
      const failed$ = words(watchSignals(() => lost, { recovery: bug }));
      expectObservable(failed$).toBe('a(b#)', { a: 'connecting', b: 'closed' }, thrown);
      expectSubscriptions(lost.subscriptions).toBe('^!');
    }),
  );

  it(
    'stops polling if an operator after it throws',
    marbles(helpers => {
      const { cold, expectObservable, flush } = helpers;
      let polls = 0;
      const poll = () => defer(() => cold('-(a|)', { a: answer(String(++polls), `event ${polls}`) }));
      const projected$ = watchSignals(poll).pipe(
        map(signal => {
          if (word(signal) === 'event 3') throw new Error('mine');
        }),
      );
      expectObservable(projected$.pipe(ignoreElements())).toBe('---#', undefined, new Error('mine'));
      flush();
      strictEqual(polls, 3);
    }),
  );

  it(
    'starts over for a subscriber after an error',
    marbles(({ expectObservable }) => {
      let polls = 0;
      const poll = () => (++polls === 1 ? throwError(() => 'gone') : of(answer('1', 'x')));
      const signals$ = words(watchSignals(poll, { recovery: () => ({ kind: 'end' }) }));
      expectObservable(concat(signals$)).toBe('(cd#)', { c: 'connecting', d: 'closed' }, 'gone');
      expectObservable(signals$, '--^!').toBe('--(clx)', { c: 'connecting', l: 'live', x: 'x' });
    }),
  );
});
