import {
  from,
  Observable,
  Subscription,
  type ObservableInput,
  type Observer,
  type Unsubscribable,
} from 'rxjs';

/**
 * An Observable that an observer of this library can follow without a subscriber in between. A held
 * poll passes through many layers, and a subscriber for each of them would take more memory than
 * all the rest. Piped through an operator of RxJS, it becomes an ordinary Observable again.
 *
 * A subscriber sees to three things, which the function that makes a `Direct` has to promise
 * instead:
 * - Nothing comes after `error` or `complete`.
 * - Nothing comes after what it returned has been unsubscribed from.
 * - Unsubscribing a second time, or after the end, does nothing.
 *
 * It may emit, end or throw before it returns, as the function of any Observable may.
 */
export class Direct<T> extends Observable<T> {
  constructor(readonly follow: (observer: Observer<T>) => Unsubscribable) {
    super(follow);
  }
}

/**
 * Subscribes an observer. If the source is {@link Direct}, there is no subscriber in between. An
 * observer follows one source, once. Throws what the function of a `Direct` throws.
 */
export function follow<T>(source$: ObservableInput<T>, observer: Observer<T>): Unsubscribable {
  if (source$ instanceof Direct) return (source$ as Direct<T>).follow(observer);
  return from(source$).subscribe(observer);
}

/** Emits one value at once, and completes. */
export function directOf<T>(value: T): Direct<T> {
  return new Direct(observer => {
    observer.next(value);
    observer.complete();
    return Subscription.EMPTY;
  });
}

/** An observer of a source whose end does not matter. */
export function onlyNext<T>(next: (value: T) => void): Observer<T> {
  return { next, error: doNothing, complete: doNothing };
}

const doNothing = () => undefined;
