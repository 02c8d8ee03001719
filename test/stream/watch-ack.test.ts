import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { join } from 'node:path';
import { asyncScheduler, EMPTY, map, NEVER, of, take, throwError, timer } from 'rxjs';
import { watch, watchSignals, type AckDecision, type Checkpoint, type Gap } from 'lobby-rx';
import { marbles } from '../marbles.js';
import { answer, read, script, type Answer } from '../poll-script.js';
import { journal } from '../signal-journal.js';
import { spawnTs } from '../spawn-ts.js';

const random = () => 1;

/** A watch with a log does not print that its `ack` fails. */
const noLog = () => undefined;

describe('the ack of a watch', () => {
  it('is not called if a subscriber has thrown: Node ends before anything is saved', async () => {
    const { code, out, err } = await spawnTs(join(import.meta.dirname, 'throwing-program.ts'), []).exited;
    deepStrictEqual([code, out, err.includes('Error: mine')], [1, 'delivered\n', true]);
  });

  it(
    'gets the gap before its answer, once',
    marbles(({ cold, flush }) => {
      const { poll } = script(
        cold('(a|)', { a: answer('7', 'x') }),
        cold('-(b|)', { b: answer('5', 'y') }),
        cold('-(c|)', { c: answer('8', 'z') }),
      );
      const given: [string, string | undefined][] = [];
      const ack = (_: Answer, { index }: Checkpoint, gap?: Gap) => void given.push([index, gap?.reason]);
      const watching = watch(poll, { ack }).subscribe();
      timer(5).subscribe(() => watching.unsubscribe());
      flush();
      deepStrictEqual(given, [
        ['7', undefined],
        ['5', 'index_backwards'],
        ['8', undefined],
      ]);
    }),
  );

  it(
    'can end the watch, with or without an error',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const first = cold('-(a|)', { a: answer('1', 'x') });
      const { poll } = script(first);
      const ended$ = watch(poll, { ack: () => of<AckDecision>({ watch: 'end' }) });
      expectObservable(ended$).toBe('-(a|)', { a: answer('1', 'x') });
      expectSubscriptions(first.subscriptions).toBe('^!');
      const { poll: again } = script(cold('-(a|)', { a: answer('1') }));
      const failed$ = watch(again, {
        read,
        ack: () => of<AckDecision>({ watch: 'end', error: 'lost the lease' }),
      });
      expectObservable(failed$).toBe('-#', undefined, 'lost the lease');
    }),
  );

  it(
    'closes the status when it ends the watch',
    marbles(helpers => {
      const { poll } = script(of(answer('1')));
      const signals$ = watchSignals(poll, { read, ack: () => of<AckDecision>({ watch: 'end' }) });
      const seen = journal(signals$, helpers, '5ms !');
      helpers.flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 closed']);
    }),
  );

  it(
    'can continue from somewhere else, with the age of that checkpoint',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const { asked, poll } = script(
        cold('(a|)', { a: answer('7', 'x') }),
        cold('9ms (b|)', { b: answer('60', 'y') }),
      );
      const decisions: AckDecision[] = [{ watch: 'resume', from: { index: '50', at: -6 } }];
      const ack = () => (decisions.length > 0 ? of(decisions.shift()) : EMPTY);
      const seen = journal(
        watchSignals(poll, { ack, retention: 5, testing: { monotonic: asyncScheduler } }),
        helpers,
        '20ms !',
      );
      flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 x', '9 silence', '9 y']);
      deepStrictEqual(asked.slice(0, 3), [undefined, '50', '60']);
    }),
  );

  it(
    'gets an answer again if it continues from before it',
    marbles(({ flush }) => {
      const decisions: AckDecision[] = [{ watch: 'resume', from: '3' }];
      const { asked, poll } = script(of(answer('5', 'x')), of(answer('5', 'x')), NEVER);
      const given: string[] = [];
      const watching = watch(poll, { ack: () => decisions.shift() }).subscribe(({ events }) =>
        given.push(events.join()),
      );
      timer(5).subscribe(() => watching.unsubscribe());
      flush();
      deepStrictEqual(
        [asked, given],
        [
          [undefined, '3', '5'],
          ['x', 'x'],
        ],
      );
    }),
  );

  it(
    'keeps to the pace even if it always decides to resume',
    marbles(({ flush }) => {
      const ack = (): AckDecision => ({ watch: 'resume', from: '3' });
      const times: number[] = [];
      watch(() => of(answer('5', 'x')), { ack })
        .pipe(take(20))
        .subscribe(() => times.push(asyncScheduler.now()));
      flush();
      ok(times.at(-1)! >= 15_000, `${times.at(-1)} ms`);
    }),
  );

  it(
    'may emit anything else, which decides nothing',
    marbles(({ flush }) => {
      const { asked, poll } = script(of(answer('1', 'x')), NEVER);
      const watching = watch(poll, { ack: () => [7, null, { watch: 'maybe' }, 'end'] as never }).subscribe();
      timer(5).subscribe(() => watching.unsubscribe());
      flush();
      deepStrictEqual(asked, [undefined, '1']);
    }),
  );

  it(
    'causes a gap if it fails at the first answer',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const acks = [throwError(() => 'disk full')];
      const { poll } = script(cold('(a|)', { a: answer('1') }), cold('(b|)', { b: answer('5') }), NEVER);
      const config = { read, testing: { random: () => 0 }, ack: () => acks.shift() ?? EMPTY, log: noLog };
      const seen = journal(watchSignals(poll, config), helpers, '5ms !');
      flush();
      deepStrictEqual(seen, ['0 connecting', '0 live', '0 retrying', '0 live', '0 unacknowledged']);
      strictEqual(acks.length, 0);
    }),
  );

  it(
    'polls again only after an answer has been acknowledged, even an empty one',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const done: string[] = [];
      const { poll } = script(
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(b|)', { b: answer('2') }),
        cold('-(c|)', { c: answer('3', 'y') }),
      );
      const ack = ({ watch }: Answer) =>
        timer(5).pipe(map(() => done.push(`${asyncScheduler.now()} ${watch.index}`)));
      const seen = journal(watchSignals(poll, { read, ack }), helpers, '25ms !');
      flush();
      deepStrictEqual(seen, ['0 connecting', '1 live', '1 x', '13 y']);
      deepStrictEqual(done, ['6 1', '12 2', '18 3']);
    }),
  );

  it(
    'requests an answer again if it could not be acknowledged',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const acks = [throwError(() => 'disk full'), EMPTY];
      const { asked, poll } = script(
        cold('-(a|)', { a: answer('1', 'x') }),
        cold('-(a|)', { a: answer('1', 'x') }),
      );
      const config = {
        testing: { random },
        backoff: { initial: 3 },
        ack: () => acks.shift() ?? EMPTY,
        log: noLog,
      };
      const seen = journal(watchSignals(poll, config), helpers, '10ms !');
      flush();
      deepStrictEqual(seen, [
        '0 connecting',
        '1 live',
        '1 x',
        '1 retrying',
        '5 live',
        '5 unacknowledged',
        '5 x',
      ]);
      deepStrictEqual(asked, [undefined, undefined, '1']);
    }),
  );

  it(
    'waits longer each time if an answer cannot be acknowledged',
    marbles(({ expectObservable, flush }) => {
      const starts: number[] = [];
      const poll = () => {
        starts.push(asyncScheduler.now());
        return of(answer('5', 'x'));
      };
      const ack = () => throwError(() => 'disk full');
      expectObservable(
        watchSignals(poll, {
          testing: { random },
          ack,
          log: noLog,
          from: '4',
          minInterval: 0,
          backoff: { initial: 10, max: 80 },
        }),
        '300ms !',
      );
      flush();
      deepStrictEqual(starts, [0, 10, 30, 70, 150, 230]);
    }),
  );

  it(
    'emits a silence gap, once, if answers cannot be acknowledged for longer than the retention',
    marbles(helpers => {
      const { cold, flush } = helpers;
      const acks = [EMPTY, ...Array.from({ length: 5 }, () => throwError(() => 'disk full')), EMPTY];
      const again = () => cold('(b|)', { b: answer('2', 'y') });
      const { poll } = script(cold('(a|)', { a: answer('1', 'x') }), ...Array.from({ length: 6 }, again));
      const config = {
        testing: { random, monotonic: asyncScheduler },
        retention: 40,
        minInterval: 0,
        backoff: { initial: 10, max: 10 },
        ack: () => acks.shift() ?? EMPTY,
        log: noLog,
      };
      const seen = journal(watchSignals(poll, config), helpers, '55ms !');
      flush();
      deepStrictEqual(
        seen.filter(line => line.includes('silence')),
        ['40 silence'],
      );
    }),
  );
});
