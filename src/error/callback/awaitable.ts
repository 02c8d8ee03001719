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
 * Whether a value is work whose end nothing tells. Nobody would call a function, or run a generator
 * or another iterator. A subscription does not say how its work ends. A collection, such as a Map,
 * is data.
 */
export function isUnwaitable(u: unknown): boolean {
  if (typeof u === 'function') return true;
  if (typeof u !== 'object' || u === null) return false;
  return Symbol.asyncIterator in u || (hasMethod(u, 'next') && Symbol.iterator in u) || isSubscription(u);
}

/** Whether it is what a `subscribe` has returned, of any library. */
export function isSubscription(u: unknown): boolean {
  return hasMethod(u, 'unsubscribe') && 'closed' in (u as object) && !isObservable(u);
}

function hasMethod(u: unknown, name: string): boolean {
  return typeof (u as Readonly<Record<string, unknown>> | null | undefined)?.[name] === 'function';
}

/**
 * Marks the promises in a value as expected, in arrays of them, too. A promise may be rejected
 * while another one is waited for, or be refused. An unhandled rejection would end a Node process.
 * Only the promises of the platform are sure not to begin their work a second time.
 */
export function expectRejections(value: unknown, around: readonly unknown[] = []): void {
  // By its tag, since a promise may be one of another realm, or of zone.js.
  if (tagOf(value) === 'Promise' && isPromise(value)) value.then(undefined, () => undefined);
  if (!Array.isArray(value) || around.includes(value)) return;
  for (const element of value) expectRejections(element, [...around, value]);
}

/** What a value says it is, in any realm: `Promise`, `Response`. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
