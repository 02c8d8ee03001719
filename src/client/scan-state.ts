import { distinctUntilChanged, scan, startWith, type OperatorFunction } from 'rxjs';

/**
 * Reduces a stream to a state, as a store does. Unlike `scan`, it emits the seed first, and emits
 * nothing if `reduce` returns the same state.
 *
 * @example
 * const joins$ = feed.lobbyJoin$.pipe(scanState((count: number) => count + 1, 0));
 */
export function scanState<T, S>(reduce: (state: S, value: T) => S, seed: S): OperatorFunction<T, S> {
  return source =>
    source.pipe(
      scan((state: S, value: T) => reduce(state, value), seed),
      startWith(seed),
      distinctUntilChanged(),
    );
}
