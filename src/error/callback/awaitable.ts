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

interface Subscribable {
  subscribe(observer: object): unknown;
}

/** Where an Observable of any library is subscribed to. */
export function subscribableOf(observable: object): Subscribable {
  const { [OBSERVABLE]: interop } = observable as Readonly<Record<typeof OBSERVABLE, unknown>>;
  return (typeof interop === 'function' ? interop.call(observable) : observable) as Subscribable;
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

/**
 * Marks the promises in a value as expected, in arrays of them, too. A promise may be rejected
 * while another one is waited for, or be refused. An unhandled rejection would end a Node process.
 * Only the promises of the platform are sure not to begin their work a second time.
 */
export function expectRejections(value: unknown, around: readonly unknown[] = []): void {
  if (value instanceof Promise) value.catch(() => undefined);
  if (!Array.isArray(value) || around.includes(value)) return;
  for (const element of value) expectRejections(element, [...around, value]);
}
