import { useEffect } from 'preact/hooks';

/** Listens to an event of the window while a component is shown. */
export function useListener<K extends keyof WindowEventMap>(
  name: K,
  listener: (event: WindowEventMap[K]) => void,
): void {
  useEffect(() => {
    addEventListener(name, listener);
    return () => removeEventListener(name, listener);
  });
}
