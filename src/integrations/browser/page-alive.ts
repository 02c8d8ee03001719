import { defer, distinctUntilChanged, map, startWith, type Observable } from 'rxjs';
import { pageEvents } from '../../stream/index.js';

/** Whether a page is alive after each of these events. */
const ALIVE: Readonly<Record<string, boolean>> = {
  pagehide: false,
  freeze: false,
  pageshow: true,
  resume: true,
};

/**
 * Emits whether the page is alive, at once and at each change. A page is not alive while it is
 * frozen or in the back/forward cache, or after it was left. `false` is emitted synchronously, in
 * the last moment in which a page can still close its connections. Hidden pages are alive. It never
 * completes. Outside of a page it is always `true`.
 *
 * @example
 * pageAlive().pipe(switchMap(isAlive => (isAlive ? updates$ : NEVER)));
 */
export function pageAlive(): Observable<boolean> {
  return defer(() => pageEvents(...Object.keys(ALIVE))).pipe(
    map(({ type }) => ALIVE[type] === true),
    startWith(true),
    distinctUntilChanged(),
  );
}
