import { from, map, merge, take, timer, type Observable, type Subscription } from 'rxjs';
import { restLeft } from './poll-pace.js';
import type { WatchSettings } from './watch-config.js';
import type { WatchState } from './watch-turn.js';

/** Wakes within this time, in ms, count as one: going online and becoming visible often coincide. */
const WAKE_THROTTLE = 1_000;

/** Calls `onWake` at each wake. A wake source that fails or completes does not end the watch. */
export function followWakes<A>(
  { wake$, scheduler }: WatchSettings<A>,
  onWake: () => void,
): Subscription | undefined {
  let last = -Infinity;
  const next = () => {
    const since = scheduler.now() - last;
    // Less than nothing if the clock was set back.
    if (since >= 0 && since < WAKE_THROTTLE) return;
    last = scheduler.now();
    onWake();
  };
  try {
    return from(wake$).subscribe({ next, error: () => undefined });
  } catch {
    return undefined;
  }
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
