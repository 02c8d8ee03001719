import { from, Observable, type Subscription } from 'rxjs';
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

/** Emits when the next poll is due, or at a wake that may bring it forward, which it tells `onWoken` first. */
export function nextPoll<A>(
  { rest }: WatchState,
  wake$: Observable<unknown>,
  { scheduler }: WatchSettings<A>,
  onWoken: () => void,
): Observable<void> {
  return new Observable(subscriber => {
    // Some of it may have passed, if the answer took long to acknowledge.
    const { wait, least } = restLeft(rest, scheduler.now());
    const isDue = () => {
      subscriber.next();
      subscriber.complete();
    };
    subscriber.add(scheduler.schedule(isDue, wait));
    if (least >= wait) return;
    const onWake = () => {
      onWoken();
      isDue();
    };
    subscriber.add(wake$.subscribe(onWake));
  });
}
