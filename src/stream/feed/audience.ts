import {
  concatMap,
  defer,
  dematerialize,
  endWith,
  from,
  materialize,
  NEVER,
  Observable,
  of,
  switchMap,
  takeWhile,
  type MonoTypeOperatorFunction,
} from 'rxjs';
import type { WatchSignal } from '../watch-signal.js';

/** How values are held. */
interface BufferOptions<T> {
  /** Whether a value is not to be held. Default: never. */
  readonly passes?: (value: T) => boolean;
  /**
   * Called with how many values have been held, when they may be emitted. If it returns an array,
   * that is emitted instead of them.
   */
  readonly instead?: (queuedCount: number) => T[] | undefined;
}

/**
 * Holds values while the last value of `isHeld$` is `true`, and emits them when it is `false`
 * again, in order and without loss.
 * What is emitted may cause `isHeld$` to change: the rest is held then. Completes and fails as the
 * source does, once nothing is held any more.
 */
export function bufferWhile<T>(
  isHeld$: Observable<boolean>,
  { passes = () => false, instead = () => undefined }: BufferOptions<NoInfer<T>> = {},
): MonoTypeOperatorFunction<T> {
  return source =>
    new Observable(subscriber => {
      let held: T[] = [];
      let emitted = 0;
      let isHeld = false;
      let isEmitting = false;
      let end: (() => void) | undefined;
      const emit = () => {
        if (isEmitting) return;
        isEmitting = true;
        while (emitted < held.length && !isHeld && !subscriber.closed) subscriber.next(held[emitted++]!);
        isEmitting = false;
        if (emitted < held.length) return;
        held = [];
        emitted = 0;
        end?.();
      };
      const release = () => {
        const values = instead(held.length - emitted);
        if (!values) return;
        held = values;
        emitted = 0;
      };
      const finish = (how: () => void) => {
        end = how;
        emit();
      };
      subscriber.add(
        isHeld$.subscribe({
          next: isNowHeld => {
            if (isHeld && !isNowHeld) release();
            isHeld = isNowHeld;
            emit();
          },
          error: (error: unknown) => subscriber.error(error),
        }),
      );
      subscriber.add(
        source.subscribe({
          next: value => {
            if (passes(value)) return subscriber.next(value);
            held.push(value);
            emit();
          },
          error: (error: unknown) => finish(() => subscriber.error(error)),
          complete: () => finish(() => subscriber.complete()),
        }),
      );
    });
}

/**
 * What `run` returns while the last value of `isOn$` is `true`, and again each time. Completes and
 * fails as that does.
 */
export function runWhile<T>(isOn$: Observable<boolean>, run: () => Observable<T>): Observable<T> {
  return isOn$.pipe(
    // `switchMap` would wait for `isOn$` to complete, which never happens.
    switchMap(isOn => (isOn ? defer(run).pipe(materialize()) : NEVER)),
    dematerialize(),
  );
}

/** The subscribers of a feed, as its watch sees them. */
export interface Audience<A> {
  /**
   * Whether there is no subscriber: emits at once, and at each change. Answers are held meanwhile.
   */
  readonly isAbsent$: Observable<boolean>;
  /**
   * Whether to poll: not once there has been no subscriber for `linger` ms. Emits at once, and at
   * each change, after `isAbsent$`.
   */
  readonly isActive$: Observable<boolean>;
  /**
   * Splits an answer into parts that are delivered one by one, since the last subscriber may leave
   * in between.
   */
  readonly split: (answer: A) => readonly A[];
  /**
   * Emits signals part by part, and holds the rest while it is absent. Ends with `taken` once all
   * have been emitted; or with `expired`, if it comes back when `isExpired` says so.
   */
  readonly deliver: (
    signals: readonly WatchSignal<A>[],
    isExpired: () => boolean,
  ) => Observable<WatchSignal<A> | 'taken' | 'expired'>;
}

/**
 * The audience of a feed. It is a value, so that a watch without one does not contain what holds
 * answers.
 */
export function audienceOf<A>({ isAbsent$, isActive$, split }: Omit<Audience<A>, 'deliver'>): Audience<A> {
  const deliver: Audience<A>['deliver'] = (signals, isExpired) => {
    if (signals.every(({ kind }) => kind === 'checkpoint')) return of(...signals, 'taken' as const);
    return from(signals).pipe(
      concatMap((signal): readonly (WatchSignal<A> | 'expired')[] => partsOf(signal, split)),
      bufferWhile<WatchSignal<A> | 'expired'>(isAbsent$, {
        instead: () => (isExpired() ? ['expired'] : undefined),
      }),
      endWith('taken' as const),
      takeWhile(part => typeof part !== 'string', true),
    );
  };
  return { isAbsent$, isActive$, split, deliver };
}

/**
 * Runs a watch that has no audience of its own while this one is active. What comes while it is
 * absent is held, except for the status; `drops` is called when the audience comes back, and
 * returns whether what has been held is dropped.
 */
export function queuedSignals<A>(
  run: () => Observable<WatchSignal<A>>,
  audience: Omit<Audience<A>, 'deliver'>,
  drops: (queuedCount: number) => boolean = () => false,
): Observable<WatchSignal<A>> {
  return runWhile(audience.isActive$, run).pipe(
    concatMap(signal => partsOf(signal, audience.split)),
    bufferWhile(audience.isAbsent$, {
      passes: ({ kind }) => kind === 'status',
      instead: queuedCount => (drops(queuedCount) ? [] : undefined),
    }),
  );
}

/** An answer in parts, the last of which has its checkpoint; any other signal as it is. */
function partsOf<A>(signal: WatchSignal<A>, split: Audience<A>['split']): readonly WatchSignal<A>[] {
  if (signal.kind !== 'answer') return [signal];
  const parts = split(signal.answer);
  return parts.map((answer, i) =>
    i === parts.length - 1 ? { ...signal, answer } : { kind: 'answer', answer },
  );
}
