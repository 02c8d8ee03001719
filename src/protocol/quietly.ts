/** A listener that cannot harm what it listens to: what it throws is its own affair, at once or later. */
export function quietly<T>(listener: ((value: T) => unknown) | undefined): (value: T) => void {
  if (!listener) return () => undefined;
  return value => {
    try {
      // An async function fits wherever a listener may go, and its rejection would end the process.
      Promise.resolve(listener(value)).catch(() => undefined);
    } catch {
      // A log that fails must not end the watch that it tells about.
    }
  };
}
