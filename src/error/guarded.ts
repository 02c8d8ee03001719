/** A callback whose errors are swallowed, thrown or rejected: a log that fails must not end the watch it is told about. */
export function guarded<T>(callback: ((value: T) => unknown) | undefined): (value: T) => void {
  if (!callback) return () => undefined;
  return value => {
    try {
      // An async function fits wherever a callback may go, and its rejection would end a Node process.
      Promise.resolve(callback(value)).catch(() => undefined);
    } catch {
      // Swallowed, as promised.
    }
  };
}
