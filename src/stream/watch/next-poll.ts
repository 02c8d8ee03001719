import {
  catchError,
  concatWith,
  from,
  map,
  merge,
  NEVER,
  take,
  throttleTime,
  timer,
  type Observable,
} from 'rxjs';
import { restLeft } from './poll-pace.js';
import type { WatchSettings } from './watch-config.js';
import type { WatchState } from './watch-turn.js';

/** Wakes within this time, in ms, count as one: going online and becoming visible often coincide. */
const WAKE_THROTTLE = 1_000;

/** A wake source that fails or completes does not end the watch. */
export function wakes<A>({ wake$, scheduler }: WatchSettings<A>): Observable<unknown> {
  return from(wake$).pipe(
    catchError(() => NEVER),
    concatWith(NEVER),
    throttleTime(WAKE_THROTTLE, scheduler),
  );
}

/** Emits when the next poll is due, or true at a wake that may bring it forward. */
export function nextPoll<A>(
  { rest }: WatchState,
  wake$: Observable<unknown>,
  { scheduler }: WatchSettings<A>,
): Observable<boolean> {
  // Some of it may have passed, if the answer took long to acknowledge.
  const { wait, least } = restLeft(rest, scheduler.now());
  const due$ = timer(wait, scheduler).pipe(map(() => false));
  return least < wait ? merge(due$, wake$.pipe(map(() => true))).pipe(take(1)) : due$;
}
