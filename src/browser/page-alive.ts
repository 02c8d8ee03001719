import { concat, defer, distinctUntilChanged, map, Observable, of, Subscription } from 'rxjs';
import { pageEvents } from '../stream/index.js';

/** What the events of a page say about its life. */
const ALIVE: Readonly<Record<string, boolean>> = {
  ...{ pagehide: false, freeze: false },
  ...{ pageshow: true, resume: true },
};

/**
 * Whether the page is alive: now, and whenever that changes. It is not while it is frozen or in the back/forward cache, or once it
 * has been left. `false` is emitted synchronously, in the last moment in which a page can still close its connections. Hidden
 * pages are alive. It never completes; outside of a page it is always `true`.
 *
 * @example
 * pageAlive().pipe(switchMap(isAlive => (isAlive ? updates$ : NEVER)));
 */
export function pageAlive(): Observable<boolean> {
  return defer(() =>
    concat(of(true), pageEvents(...Object.keys(ALIVE)).pipe(map(({ type }) => ALIVE[type] === true))),
  ).pipe(distinctUntilChanged());
}

/** What `run` returns, while the page is alive, and anew when it has come back. It ends with it. */
export function runWhileAlive<T>(run: () => Observable<T>): Observable<T> {
  return new Observable(subscriber => {
    let running = Subscription.EMPTY;
    const follow = (isAlive: boolean) => {
      running.unsubscribe();
      if (!isAlive) return;
      running = run().subscribe({
        next: value => subscriber.next(value),
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    };
    subscriber.add(() => running.unsubscribe());
    subscriber.add(pageAlive().subscribe(follow));
  });
}
