import { isObservable, isPromise, subscribableOf } from './awaitable.js';

/**
 * Wraps a callback that nothing waits for, such as a log. Work that it returns is begun, as that of
 * a promise is. Its errors are swallowed, since a log that fails must not end the watch that calls
 * it.
 */
export function guarded<Args extends readonly unknown[]>(
  callback: ((...args: Args) => unknown) | undefined,
): (...args: Args) => void {
  if (!callback) return doNothing;
  return (...args) => {
    try {
      begin(callback(...args), new Set());
    } catch {
      // Swallowed on purpose (see above).
    }
  };
}

/**
 * Begins what a callback returned, as deep as it goes. An unhandled rejection would end a Node
 * process. `begun` has what may hold itself.
 */
function begin(returned: unknown, begun: Set<unknown>): void {
  if (begun.has(returned)) return;
  begun.add(returned);
  const next = (inner: unknown) => begin(inner, begun);
  if (Array.isArray(returned)) returned.forEach(next);
  else if (isPromise(returned)) Promise.resolve(returned).then(next).catch(doNothing);
  else if (isObservable(returned)) subscribableOf(returned).subscribe({ next, error: doNothing });
}

const doNothing = () => undefined;

/**
 * Returns what `read` returns. If that throws, returns the fallback. Anything can be thrown, even a
 * value that throws when it is read.
 */
export function tryOr<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
