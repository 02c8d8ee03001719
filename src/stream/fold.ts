import { distinctUntilChanged, scan, startWith, type OperatorFunction } from 'rxjs';

/**
 * Folds what flows into a state, as a store does: the seed first, then each state that differs from the one before it.
 * Unlike `scan`, it emits the seed, and nothing if `reduce` returns the state it was given.
 *
 * @example
 * const joins$ = feed.lobbyJoin$.pipe(fold((count: number) => count + 1, 0));
 */
export function fold<T, S>(reduce: (state: S, value: T) => S, seed: S): OperatorFunction<T, S> {
  return source =>
    source.pipe(
      scan((state: S, value: T) => reduce(state, value), seed),
      startWith(seed),
      distinctUntilChanged(),
    );
}
