/** A listener that cannot harm what it listens to: what it throws is its own affair. */
export function quietly<T>(listener: ((value: T) => void) | undefined): (value: T) => void {
  if (!listener) return () => undefined;
  return value => {
    try {
      listener(value);
    } catch {
      // A log that fails must not end the watch that it tells about.
    }
  };
}
