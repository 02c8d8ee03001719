import { defer, map, repeat, timer, type Observable, type SchedulerLike } from 'rxjs';
import { monotonicClock } from '../../../stream/index.js';

/** How often a timer looks whether it is late, in ms. */
const LOOK_MS = 100;

/** A process is late if its timers are by more than this, in ms. */
export const LATE_MS = 100;

/**
 * Emits, again and again, by how much the timers of this process are late, in ms: it has too much
 * to do, or the machine has.
 */
export function latenessOf(scheduler: SchedulerLike, clock = monotonicClock(scheduler)): Observable<number> {
  const look$ = defer(() => {
    const due = clock.now() + LOOK_MS;
    return timer(LOOK_MS, scheduler).pipe(map(() => Math.max(0, clock.now() - due)));
  });
  return look$.pipe(repeat());
}
