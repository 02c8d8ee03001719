import { deepStrictEqual, strictEqual } from 'node:assert';
import { BehaviorSubject, map, NEVER } from 'rxjs';
import type { Gap, WatchSignal } from 'lobby-rx';
import { audienceOf } from '../../../src/stream/feed/audience.js';
import { answer, type Answer } from '../../poll-script.js';
import { shortSignal, singleEvents } from './short-signal.js';

const gap: Gap = { reason: 'silence', at: 0, index: '1' };
const checkpoint = { index: '2', at: 5 };
const gapSignal = { kind: 'gap', gap } as const;
type Signals = readonly WatchSignal<Answer>[];
const news: Signals = [{ kind: 'answer', answer: answer('2', 'a', 'b', 'c'), checkpoint }];
const newsAfterGap: Signals = [gapSignal, ...news];
const noNews: Signals = [{ kind: 'checkpoint', checkpoint }];

interface AudienceOfTest {
  readonly isAbsent?: boolean;
  /** Whether the signals are expired when the audience comes back. */
  readonly isExpired?: boolean;
  /** The part with which the audience leaves. */
  readonly leavesWith?: string;
}

function deliver(signals: Signals, { isAbsent = false, isExpired = false, leavesWith }: AudienceOfTest = {}) {
  const isAbsent$ = new BehaviorSubject(isAbsent);
  const audience = audienceOf({ isAbsent$, isActive$: NEVER, split: singleEvents });
  const seen: string[] = [];
  const delivering = audience
    .deliver(signals, () => isExpired)
    .pipe(map(shortSignal))
    .subscribe({
      next: part => {
        seen.push(part);
        if (part === leavesWith) isAbsent$.next(true);
      },
      complete: () => seen.push('|'),
    });
  return { isAbsent$, seen, delivering };
}

describe('an audience', () => {
  it('gets an answer part by part, the last one with its checkpoint', () => {
    deepStrictEqual(deliver(news).seen, ['a', 'b', 'c.', '[taken]', '|']);
    deepStrictEqual(deliver(newsAfterGap).seen, ['silence', 'a', 'b', 'c.', '[taken]', '|']);
  });

  it('gets the answer, or the rest of it, when it comes back', () => {
    const { isAbsent$, seen } = deliver(news, { isAbsent: true, leavesWith: 'b' });
    deepStrictEqual(seen, []);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['a', 'b']);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['a', 'b', 'c.', '[taken]', '|']);
    strictEqual(isAbsent$.observed, false);
  });

  it('has got the whole answer if it leaves with the last part', () => {
    const { seen, isAbsent$ } = deliver(news, { leavesWith: 'c.' });
    deepStrictEqual(seen, ['a', 'b', 'c.', '[taken]', '|']);
    strictEqual(isAbsent$.observed, false);
  });

  it('gets no more of an answer if it comes back too late', () => {
    const never = deliver(news, { isAbsent: true, isExpired: true });
    never.isAbsent$.next(false);
    deepStrictEqual(never.seen, ['[expired]', '|']);
    const within = deliver(news, { isExpired: true, leavesWith: 'a' });
    within.isAbsent$.next(false);
    deepStrictEqual(within.seen, ['a', '[expired]', '|']);
  });

  it('gets no news while it is absent, but a gap waits for it', () => {
    deepStrictEqual(deliver(noNews, { isAbsent: true, isExpired: true }).seen, [
      'checkpoint',
      '[taken]',
      '|',
    ]);
    const { seen, isAbsent$ } = deliver([gapSignal, ...noNews], { isAbsent: true });
    deepStrictEqual(seen, []);
    isAbsent$.next(false);
    deepStrictEqual(seen, ['silence', 'checkpoint', '[taken]', '|']);
  });

  it('is left by a delivery that is unsubscribed from', () => {
    const { delivering, isAbsent$, seen } = deliver(news, { leavesWith: 'a' });
    delivering.unsubscribe();
    isAbsent$.next(false);
    deepStrictEqual(seen, ['a']);
    strictEqual(isAbsent$.observed, false);
  });
});
