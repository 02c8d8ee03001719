import { deepStrictEqual } from 'node:assert';
import { asyncScheduler, EMPTY, map, NEVER, of, throwError, timer } from 'rxjs';
import type { AckDecision } from 'lobby-rx';
import { acknowledge } from '../../src/stream/acknowledge.js';
import type { WatchConfig } from '../../src/stream/watch-config.js';
import { watchSettings } from '../../src/stream/watch-settings.js';
import { marbles } from '../marbles.js';
import { answer, type Answer } from '../poll-script.js';
import { stateWith } from '../transition.js';

const checkpoint = { index: '2', at: 5 };
const abc = answer('2', 'a', 'b', 'c');

describe('an acknowledgement', () => {
  const { status } = stateWith();
  const acked = (ack: WatchConfig<Answer>['ack']) =>
    acknowledge(
      () => watchSettings<Answer>(ack ? { ack } : {}).ack?.(abc, checkpoint) ?? [],
      status,
      asyncScheduler,
    ).pipe(map(event => (event.kind === 'status' ? [event.status.state, event.status.since] : event)));
  const done = (decision?: AckDecision) =>
    decision ? { kind: 'decided', decision } : { kind: 'acknowledged' };
  const results = (decision?: AckDecision) => ({
    d: done(decision),
    s: ['acknowledging', 30_000],
    l: ['live', 40_000],
    f: { kind: 'unacknowledged', error: 'disk full' },
  });

  it(
    'calls `ack` in a later macrotask, not before',
    marbles(({ flush }) => {
      let calls = 0;
      const ack = () => [calls++];
      acknowledge(ack, status, asyncScheduler).subscribe();
      deepStrictEqual(calls, 0);
      flush();
      deepStrictEqual(calls, 1);
    }),
  );

  it(
    'is done when `ack` is, and ends its timers',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const ack$ = cold('---x|');
      expectObservable(acked(() => ack$)).toBe('----(d|)', results());
      expectObservable(acked(() => undefined)).toBe('(d|)', results());
      expectObservable(
        acked(() => ack$),
        '-!',
      ).toBe('');
      expectSubscriptions(ack$.subscriptions).toBe(['^---!', '^!']);
    }),
  );

  it(
    'says after 30 s that it takes long, and when that is over',
    marbles(({ expectObservable }) => {
      expectObservable(acked(() => timer(40_000))).toBe('30s s 9999ms (ld|)', results());
      expectObservable(acked(() => timer(29_999))).toBe('29999ms (d|)', results());
      expectObservable(
        acked(() => NEVER),
        '2m !',
      ).toBe('30s s', results());
    }),
  );

  it(
    'has the decision that `ack` returns, or the last one that it emits, and ignores everything else',
    marbles(({ expectObservable }) => {
      const end: AckDecision = { watch: 'end' };
      const resume: AckDecision = { watch: 'resume', from: '7' };
      const others = [7, null, { watch: 'maybe' }, 'end'] as never[];
      expectObservable(acked(() => end)).toBe('(d|)', results(end));
      expectObservable(acked(() => of(end))).toBe('(d|)', results(end));
      expectObservable(acked(() => of(of(end) as never))).toBe('(d|)', results(end));
      expectObservable(acked(() => of(end, resume, ...others))).toBe('(d|)', results(resume));
      expectObservable(acked(() => of(...others))).toBe('(d|)', results());
      // A row of data may look like a decision.
      expectObservable(acked(() => [end, resume] as never)).toBe('(d|)', results());
      expectObservable(acked(() => of([end] as never))).toBe('(d|)', results());
      // With a decision there is another status, or an end, to come.
      expectObservable(acked(() => timer(40_000).pipe(map(() => end)))).toBe(
        '30s s 9999ms (d|)',
        results(end),
      );
    }),
  );

  it(
    'fails if `ack` fails, throws, or decides to resume from something that is no index',
    marbles(({ cold, expectObservable }) => {
      const failing = () => throwError(() => 'disk full');
      expectObservable(acked(failing)).toBe('(f|)', results());
      expectObservable(acked(() => cold('--#', undefined, 'disk full'))).toBe('--(f|)', results());
      const thrown = () => {
        throw 'disk full';
      };
      expectObservable(acked(thrown)).toBe('(f|)', results());
      const nonsense = acked(() => of({ watch: 'resume', from: 7 } as never));
      expectObservable(nonsense.pipe(map(event => 'kind' in event && event.kind))).toBe('(k|)', {
        k: 'unacknowledged',
      });
      expectObservable(acked(() => EMPTY)).toBe('(d|)', results());
    }),
  );
});
