import { deepStrictEqual, strictEqual } from 'node:assert';
import { asyncScheduler, BehaviorSubject, EMPTY, map, NEVER, of, throwError, timer } from 'rxjs';
import type { AckDecision, Gap, WatchSignal } from 'lobby-rx';
import {
  acknowledge,
  deliver,
  heldSignals,
  type Audience,
  type Delivery,
} from '../../src/stream/delivery.js';
import { watchSettings, type WatchConfig } from '../../src/stream/watch-config.js';
import { marbles } from '../marbles.js';
import { answer, type Answer } from '../poll-script.js';
import { stateWith } from '../turn.js';

const gap: Gap = { reason: 'silence', at: 0, index: '1' };
const checkpoint = { index: '2', at: 5 };
const abc = answer('2', 'a', 'b', 'c');
const gapSignal = { kind: 'gap', gap } as const;
const delivery = (...signals: readonly WatchSignal<Answer>[]): Delivery<Answer> => ({
  ...{ answer: abc, checkpoint, gap: undefined, signals },
});
const whole = delivery({ kind: 'answer', answer: abc, checkpoint });
const gapped = delivery(gapSignal, ...whole.signals);
const idle = delivery({ kind: 'idle', checkpoint });

/** A signal in one word; an answer that has a checkpoint ends with a dot. */
const short = (part: WatchSignal<Answer> | string) => {
  if (typeof part === 'string') return `[${part}]`;
  if (part.kind === 'answer') return `${part.answer.events.join('+')}${part.checkpoint ? '.' : ''}`;
  return part.kind === 'gap' ? part.gap.reason : part.kind === 'status' ? part.status.state : part.kind;
};

const split = ({ events, watch }: Answer) => events.map(event => ({ events: [event], watch }));

/** A delivery to an audience, which leaves with the part `leaveWith`. */
function start(
  delivery: Delivery<Answer>,
  {
    isAbsent = false,
    isExpired = false,
    leaveWith = '',
  }: Partial<Record<'isAbsent' | 'isExpired', boolean>> & {
    leaveWith?: string;
  } = {},
) {
  const isAbsent$ = new BehaviorSubject(isAbsent);
  const audience: Audience<Answer> = { isAbsent$, isActive$: NEVER, split };
  const seen: string[] = [];
  const delivering = deliver(delivery, audience, () => isExpired)
    .pipe(map(short))
    .subscribe({
      next: part => {
        seen.push(part);
        if (part === leaveWith) isAbsent$.next(true);
      },
      complete: () => seen.push('|'),
    });
  return { isAbsent$, seen, delivering };
}

describe('the delivery of an answer', () => {
  it('is of one part without an audience', () => {
    const seen: string[] = [];
    deliver(whole, undefined, () => true).subscribe(part => seen.push(short(part)));
    deliver(gapped, undefined, () => true).subscribe(part => seen.push(short(part)));
    deepStrictEqual(seen, ['a+b+c.', '[taken]', 'silence', 'a+b+c.', '[taken]']);
  });

  it('is of part by part to an audience; the last one has the checkpoint', () => {
    deepStrictEqual(start(whole).seen, ['a', 'b', 'c.', '[taken]', '|']);
    deepStrictEqual(start(gapped).seen, ['silence', 'a', 'b', 'c.', '[taken]', '|']);
  });

  it('waits for an audience, and with the rest if that leaves with a part', () => {
    const { isAbsent$, seen } = start(whole, { isAbsent: true, leaveWith: 'b' });
    deepStrictEqual(seen, []);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['a', 'b']);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['a', 'b', 'c.', '[taken]', '|']);
    strictEqual(isAbsent$.observed, false);
  });

  it('is over when the audience leaves with the last part', () => {
    const { seen, isAbsent$ } = start(whole, { leaveWith: 'c.' });
    deepStrictEqual([seen, isAbsent$.observed], [['a', 'b', 'c.', '[taken]', '|'], false]);
  });

  it('has expired if the audience comes back too late, wherever it left: then nothing else is emitted', () => {
    const never = start({ ...whole, gap }, { isAbsent: true, isExpired: true });
    never.isAbsent$.next(false);
    deepStrictEqual(never.seen, ['[expired]', '|']);
    const within = start(whole, { isExpired: true, leaveWith: 'a' });
    within.isAbsent$.next(false);
    deepStrictEqual(within.seen, ['a', '[expired]', '|']);
  });

  it('without news waits for the audience only if there is a gap to emit', () => {
    deepStrictEqual(start(idle, { isAbsent: true, isExpired: true }).seen, ['idle', '[taken]', '|']);
    const { seen, isAbsent$ } = start(delivery(gapSignal, ...idle.signals), { isAbsent: true });
    deepStrictEqual(seen, []);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['silence', 'idle', '[taken]', '|']);
  });

  it('ends with its subscriber', () => {
    const { delivering, isAbsent$, seen } = start(whole, { leaveWith: 'a' });
    delivering.unsubscribe();
    isAbsent$.next(false);
    deepStrictEqual([seen, isAbsent$.observed], [['a'], false]);
  });
});

describe('an acknowledgement', () => {
  const { status } = stateWith();
  const acked = (ack: WatchConfig<Answer>['ack'], before = status) =>
    acknowledge(
      () => watchSettings<Answer>(ack ? { ack } : {}).ack?.(abc, checkpoint) ?? [],
      before,
      asyncScheduler,
    ).pipe(map(event => (event.kind === 'status' ? [event.status.state, event.status.since] : event)));
  const done = (decision?: AckDecision) =>
    decision ? { kind: 'decided', decision } : { kind: 'acknowledged' };
  const results = (decision?: AckDecision) => ({
    ...{ d: done(decision), s: ['acknowledging', 30_000], l: ['live', 40_000] },
    ...{ f: { kind: 'unacknowledged', error: 'disk full' } },
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
    'has the last decision that `ack` emits, and ignores everything else',
    marbles(({ expectObservable }) => {
      const end: AckDecision = { watch: 'end' };
      const resume: AckDecision = { watch: 'resume', from: '7' };
      const others = [7, null, { watch: 'maybe' }, 'end'] as never[];
      expectObservable(acked(() => [end])).toBe('(d|)', results(end));
      expectObservable(acked(() => [end, resume, ...others])).toBe('(d|)', results(resume));
      expectObservable(acked(() => others)).toBe('(d|)', results());
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

describe('the signals of a watch that knows nothing of its audience', () => {
  const signals: Record<string, WatchSignal<Answer>> = {
    a: { kind: 'answer', answer: whole.answer, checkpoint },
    g: { kind: 'gap', gap },
    s: { kind: 'status', status: stateWith().status },
    i: { kind: 'idle', checkpoint },
  };

  it(
    'run while that is active; all but its status is held while it is absent',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const watch$ = cold('     s-a-gs--');
      const source$ = watch$.pipe(map(name => signals[name]!));
      const isActive$ = cold(' -t-------f', { t: true, f: false });
      const isAbsent$ = cold(' f-t-----f-', { t: true, f: false });
      const words$ = heldSignals(() => source$, { isAbsent$, isActive$, split }).pipe(map(short));
      expectObservable(words$, '------------!').toBe('-s----s-(abcg)', {
        ...{ s: 'live', a: 'a', b: 'b', c: 'c.', g: 'silence' },
      });
      expectSubscriptions(watch$.subscriptions).toBe('-^-------!');
    }),
  );

  it(
    'are dropped on the return of the audience, if that is to be for their number',
    marbles(({ cold, expectObservable, flush }) => {
      const counts: number[] = [];
      const drops = (count: number) => {
        counts.push(count);
        return count > 1;
      };
      const run = () => cold('a---i-').pipe(map(name => signals[name]!));
      const isActive$ = cold('t', { t: true });
      const isAbsent$ = cold('t-f-tf', { t: true, f: false });
      const words$ = heldSignals(run, { isAbsent$, isActive$, split }, drops).pipe(map(short));
      expectObservable(words$, '------!').toBe('-----i', { i: 'idle' });
      flush();
      deepStrictEqual(counts, [3, 1]);
    }),
  );
});
