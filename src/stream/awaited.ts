import {
  concat,
  concatMap,
  defer,
  from,
  ignoreElements,
  mergeMap,
  Observable,
  of,
  tap,
  type InteropObservable,
  type MonoTypeOperatorFunction,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  describe,
  expectRejections,
  failedResponse,
  InputError,
  isAwaitable,
  isPromise,
  isUnwaitable,
} from '../error/index.js';

/**
 * What a callback may return: nothing, or what can be waited for. That is an Observable, a promise,
 * or an array of them, which are waited for one after the other. A promise may resolve with an
 * Observable, and so on, as deep as it goes.
 */
export type Awaitable<T = unknown, Element = unknown> =
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- nothing
  Observable<T> | InteropObservable<T> | PromiseLike<T> | readonly Element[] | void;

/**
 * Calls a callback, and waits for whatever it returns: promises, Observables, and the elements of
 * arrays, as deep as they go. Nothing else is gone into, since it is data. Emits the values in it.
 * An array is one value, emitted once its elements have been waited for. Completes when there is
 * nothing left to wait for.
 *
 * Fails with what the callback throws, or with what is in it: a rejection, an error, or a
 * `Response` that is not ok. Fails with an `InputError` if work is returned whose end nothing
 * tells, such as a function, which nobody would call. `callback` is its name in that error.
 */
export function awaited(callback: string, call: () => unknown): Observable<unknown> {
  return defer(() => {
    const returned = call();
    expectRejections(returned);
    return valuesIn(returned, callback, []);
  });
}

/** A callback that takes longer than this, in ms, is reported. */
const SLOW_MS = 30_000;

/** Calls `onSlow` if the source has not ended after 30 s. */
export function reportSlow<T>(onSlow: () => void, scheduler: SchedulerLike): MonoTypeOperatorFunction<T> {
  return source =>
    new Observable(subscriber => {
      subscriber.add(scheduler.schedule(onSlow, SLOW_MS));
      source.subscribe(subscriber);
    });
}

/**
 * The values of a stream, such as `drain$`. A value that is a promise or an Observable itself is
 * replaced by its values, as deep as they go: a promise of a stream says nothing yet.
 */
export function flattened<T>(source$: ObservableInput<T>): Observable<T> {
  return from(source$).pipe(
    mergeMap(value => (isAwaitable(value) ? flattened(inputOf(value) as ObservableInput<T>) : of(value))),
  );
}

/**
 * `around` has the promises, Observables and arrays that the value is in. One that holds itself is
 * waited for once.
 */
function valuesIn(value: unknown, callback: string, around: readonly unknown[]): Observable<unknown> {
  if (isData(value) || around.includes(value)) return of(value);
  const inside = (inner: unknown) => valuesIn(inner, callback, [...around, value]);
  if (Array.isArray(value)) {
    const elements$ = from(value.filter(element => !isData(element)));
    return concat(elements$.pipe(concatMap(inside), ignoreElements()), of(value));
  }
  if (isAwaitable(value)) {
    return from(inputOf(value)).pipe(
      tap(inner => expectRejections(inner)),
      concatMap(inside),
    );
  }
  throw (
    failedResponse(value) ?? new InputError(callback, CAN_BE_AWAITED, `one that returned ${describe(value)}`)
  );
}

/** Whether there is nothing to wait for, and nothing that has failed. */
function isData(value: unknown): boolean {
  return !(Array.isArray(value) || isAwaitable(value) || isUnwaitable(value) || failedResponse(value));
}

const CAN_BE_AWAITED =
  'a function that returns nothing, or what can be waited for: a promise, an Observable, or an array of them';

/** An object that has a method `then` may look like an array or an iterable, too. */
function inputOf(value: unknown): ObservableInput<unknown> {
  return isPromise(value) ? Promise.resolve(value) : (value as InteropObservable<unknown>);
}
