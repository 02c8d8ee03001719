import { deepStrictEqual, strictEqual } from 'node:assert';
import { BehaviorSubject, map, NEVER } from 'rxjs';
import type { Gap, WatchSignal } from 'lobby-rx';
import { audienceOf, queuedSignals } from '../../../src/stream/feed/audience.js';
import { marbles } from '../../marbles.js';
import { answer, type Answer } from '../../poll-script.js';
import { stateWith } from '../../transition.js';

const gap: Gap = { reason: 'silence', at: 0, index: '1' };
const checkpoint = { index: '2', at: 5 };
const abc = answer('2', 'a', 'b', 'c');
const gapSignal = { kind: 'gap', gap } as const;
type Signals = readonly WatchSignal<Answer>[];
const whole: Signals = [{ kind: 'answer', answer: abc, checkpoint }];
const gapped: Signals = [gapSignal, ...whole];
const idle: Signals = [{ kind: 'checkpoint', checkpoint }];

/** A signal in one word; an answer that has a checkpoint ends with a dot. */
const short = (part: WatchSignal<Answer> | string) => {
  if (typeof part === 'string') return `[${part}]`;
  if (part.kind === 'answer') return `${part.answer.events.join('+')}${part.checkpoint ? '.' : ''}`;
  return part.kind === 'gap' ? part.gap.reason : part.kind === 'status' ? part.status.state : part.kind;
};

const split = ({ events, watch }: Answer): readonly Answer[] =>
  events.map(event => ({ events: [event], watch }));

/** These signals to an audience, which leaves with the part `leaveWith`. */
function start(
  delivered: Signals,
  {
    isAbsent = false,
    isExpired = false,
    leaveWith = '',
  }: Partial<Record<'isAbsent' | 'isExpired', boolean>> & {
    leaveWith?: string;
  } = {},
) {
  const isAbsent$ = new BehaviorSubject(isAbsent);
  const audience = audienceOf({ isAbsent$, isActive$: NEVER, split });
  const seen: string[] = [];
  const delivering = audience
    .deliver(delivered, () => isExpired)
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
    const never = start(whole, { isAbsent: true, isExpired: true });
    never.isAbsent$.next(false);
    deepStrictEqual(never.seen, ['[expired]', '|']);
    const within = start(whole, { isExpired: true, leaveWith: 'a' });
    within.isAbsent$.next(false);
    deepStrictEqual(within.seen, ['a', '[expired]', '|']);
  });

  it('without news waits for the audience only if there is a gap to emit', () => {
    deepStrictEqual(start(idle, { isAbsent: true, isExpired: true }).seen, ['checkpoint', '[taken]', '|']);
    const { seen, isAbsent$ } = start([gapSignal, ...idle], { isAbsent: true });
    deepStrictEqual(seen, []);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['silence', 'checkpoint', '[taken]', '|']);
  });

  it('ends with its subscriber', () => {
    const { delivering, isAbsent$, seen } = start(whole, { leaveWith: 'a' });
    delivering.unsubscribe();
    isAbsent$.next(false);
    deepStrictEqual([seen, isAbsent$.observed], [['a'], false]);
  });
});

describe('the signals of a watch that knows nothing of its audience', () => {
  const signals: Record<string, WatchSignal<Answer>> = {
    a: { kind: 'answer', answer: abc, checkpoint },
    g: { kind: 'gap', gap },
    s: { kind: 'status', status: stateWith().status },
    i: { kind: 'checkpoint', checkpoint },
  };

  it(
    'run while that is active; all but its status is held while it is absent',
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const watch$ = cold('     s-a-gs--');
      const source$ = watch$.pipe(map(name => signals[name]!));
      const isActive$ = cold(' -t-------f', { t: true, f: false });
      const isAbsent$ = cold(' f-t-----f-', { t: true, f: false });
      const words$ = queuedSignals(() => source$, { isAbsent$, isActive$, split }).pipe(map(short));
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
      const words$ = queuedSignals(run, { isAbsent$, isActive$, split }, drops).pipe(map(short));
      expectObservable(words$, '------!').toBe('-----i', { i: 'checkpoint' });
      flush();
      deepStrictEqual(counts, [3, 1]);
    }),
  );
});
