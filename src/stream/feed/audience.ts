import { concatMap, endWith, from, of, takeWhile, type Observable } from 'rxjs';
import type { WatchSignal } from '../watch-signal.js';
import { bufferWhile } from './buffer-while.js';

/** The subscribers of a feed, as its watch sees them. */
export interface Audience<A> {
  /**
   * Whether there is no subscriber. Emits at once, and at each change. While it is `true`, answers
   * are queued.
   */
  readonly isAbsent$: Observable<boolean>;
  /**
   * Whether to poll: while there is a subscriber, and for `linger` ms after that. Emits at once,
   * and at each change, after `isAbsent$`.
   */
  readonly isActive$: Observable<boolean>;
  /**
   * Splits an answer into parts. They are delivered one by one, since the last subscriber may leave
   * in between.
   */
  readonly split: (answer: A) => readonly A[];
  /**
   * Emits signals part by part, and queues the rest while the audience is absent. Ends with `taken`
   * once all have been emitted. Ends with `expired` if `isExpired` says so when the audience comes
   * back.
   */
  readonly deliver: (
    signals: readonly WatchSignal<A>[],
    isExpired: () => boolean,
  ) => Observable<WatchSignal<A> | 'taken' | 'expired'>;
}

/**
 * The audience of a feed. It is a value, so that a page with only `watch` does not load the code
 * that queues answers.
 */
export function audienceOf<A>({ isAbsent$, isActive$, split }: Omit<Audience<A>, 'deliver'>): Audience<A> {
  const deliver: Audience<A>['deliver'] = (signals, isExpired) => {
    if (signals.every(({ kind }) => kind === 'checkpoint')) return of(...signals, 'taken' as const);
    return from(signals).pipe(
      concatMap((signal): readonly (WatchSignal<A> | 'expired')[] => partsOf(signal, split)),
      bufferWhile<WatchSignal<A> | 'expired'>(isAbsent$, {
        replacedBy: () => (isExpired() ? ['expired'] : undefined),
      }),
      endWith('taken' as const),
      takeWhile(part => typeof part !== 'string', true),
    );
  };
  return { isAbsent$, isActive$, split, deliver };
}

/** An answer in parts, the last of which has its checkpoint. Any other signal stays as it is. */
export function partsOf<A>(signal: WatchSignal<A>, split: Audience<A>['split']): readonly WatchSignal<A>[] {
  if (signal.kind !== 'answer') return [signal];
  const parts = split(signal.answer);
  return parts.map((answer, i) =>
    i === parts.length - 1 ? { ...signal, answer } : { kind: 'answer', answer },
  );
}
