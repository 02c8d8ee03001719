import { defer, map, repeat, timer, type Observable, type SchedulerLike } from 'rxjs';
import { monotonicClock } from '../../../stream/index.js';

/** How often the lateness of timers is measured, in ms. */
const LOOK_MS = 100;

/** A process counts as late if its timers are late by more than this, in ms. */
export const LATE_MS = 100;

/**
 * Emits every 100 ms how late the timers of this process are, in ms. They are late if the process
 * or the machine has too much to do.
 */
export function latenessOf(scheduler: SchedulerLike, clock = monotonicClock(scheduler)): Observable<number> {
  const look$ = defer(() => {
    const due = clock.now() + LOOK_MS;
    return timer(LOOK_MS, scheduler).pipe(map(() => Math.max(0, clock.now() - due)));
  });
  return look$.pipe(repeat());
}
