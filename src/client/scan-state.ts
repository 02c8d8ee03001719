import { distinctUntilChanged, scan, startWith, type OperatorFunction } from 'rxjs';
import { atOnce } from '../error/index.js';

/**
 * Reduces a stream to a state, as a store does. Unlike `scan`, it emits the seed first, and emits
 * nothing if `reduce` returns the same state.
 *
 * @example
 * const joins$ = feed.lobbyJoin$.pipe(scanState((count: number) => count + 1, 0));
 */
export function scanState<T, S>(reduce: (state: S, value: T) => S, seed: S): OperatorFunction<T, S> {
  const reducer = atOnce('reduce', reduce);
  return source =>
    source.pipe(
      scan((state: S, value: T) => reducer(state, value), seed),
      startWith(seed),
      distinctUntilChanged(),
    );
}
