import {
  defer,
  dematerialize,
  materialize,
  NEVER,
  Observable,
  switchMap,
  type MonoTypeOperatorFunction,
} from 'rxjs';

/** The options of {@link heldWhile}. */
export interface HeldWhileConfig<T> {
  /** Whether a value is not to be held. Default: never. */
  readonly passes?: (value: T) => boolean;
  /**
   * Called with the number of values that have been held, when they may be emitted. If it returns an array, its values are emitted
   * in place of all of them.
   */
  readonly instead?: (heldCount: number) => T[] | undefined;
}

/**
 * Holds values while the last value of `isHeld$` is `true`, and emits them when it is `false` again, in order and without loss.
 * What is emitted may cause `isHeld$` to change: the rest is held then. Completes and fails as the source does, once nothing is
 * held any more.
 *
 * @example
 * lobbyJoin$.pipe(heldWhile(isInBackground$)).subscribe(join => connect(join));
 */
export function heldWhile<T>(
  isHeld$: Observable<boolean>,
  { passes = () => false, instead = () => undefined }: HeldWhileConfig<NoInfer<T>> = {},
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

/** What `run` returns while the last value of `isOn$` is `true`, and again each time. Completes and fails as that does. */
export function runWhile<T>(isOn$: Observable<boolean>, run: () => Observable<T>): Observable<T> {
  return isOn$.pipe(
    // `switchMap` would wait for `isOn$` to complete, which never happens.
    switchMap(isOn => (isOn ? defer(run).pipe(materialize()) : NEVER)),
    dematerialize(),
  );
}
