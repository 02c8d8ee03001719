/**
 * Wraps a callback and swallows its errors, thrown or rejected. A log that fails must not end the
 * watch that calls it.
 */
export function guarded<T>(callback: ((value: T) => unknown) | undefined): (value: T) => void {
  if (!callback) return doNothing;
  return value => {
    try {
      // The callback may be an async function. An unhandled rejection would end a Node process.
      Promise.resolve(callback(value)).catch(() => undefined);
    } catch {
      // Swallowed on purpose (see above).
    }
  };
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
