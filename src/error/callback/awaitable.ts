/**
 * Whether `await` would wait for a value. For JavaScript, any object with a method `then` is a
 * promise.
 */
export function isPromise(u: unknown): u is PromiseLike<unknown> {
  const mayHaveMethods = (typeof u === 'object' && u !== null) || typeof u === 'function';
  return mayHaveMethods && 'then' in u && typeof u.then === 'function';
}

const OBSERVABLE = (Symbol as { readonly observable?: symbol }).observable ?? '@@observable';

/**
 * Whether RxJS would subscribe to a value: an Observable of this copy of RxJS, of another one, or
 * of another library.
 */
export function isObservable(u: unknown): u is object {
  return (
    typeof u === 'object' &&
    u !== null &&
    (OBSERVABLE in u || ('lift' in u && 'subscribe' in u && typeof u.subscribe === 'function'))
  );
}

/** Whether a value has to be waited for. */
export function isAwaitable(u: unknown): boolean {
  return isPromise(u) || isObservable(u);
}

/**
 * Whether a value is work that has not begun, and that nothing would begin: a function, which has
 * to be called, or a generator or another iterator, which has to be run. A collection, such as a
 * Map, is data.
 */
export function isUnbegun(u: unknown): boolean {
  if (typeof u === 'function') return true;
  if (typeof u !== 'object' || u === null) return false;
  return Symbol.asyncIterator in u || ('next' in u && typeof u.next === 'function' && Symbol.iterator in u);
}

/** A promise whose rejection would otherwise be unhandled, and end a Node process. */
export function ignoreRejection(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => undefined);
}
