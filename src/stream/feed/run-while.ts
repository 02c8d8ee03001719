import { defer, dematerialize, materialize, NEVER, switchMap, type Observable } from 'rxjs';

/**
 * Runs `run` while the last value of `isOn$` is `true`, and again each time that it becomes `true`.
 * Completes and fails as the Observable that `run` returns does.
 */
export function runWhile<T>(isOn$: Observable<boolean>, run: () => Observable<T>): Observable<T> {
  return isOn$.pipe(
    // `switchMap` would wait for `isOn$` to complete, which never happens.
    switchMap(isOn => (isOn ? defer(run).pipe(materialize()) : NEVER)),
    dematerialize(),
  );
}
