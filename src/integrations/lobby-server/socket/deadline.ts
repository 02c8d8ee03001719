import { take, type Observable, type SchedulerLike, type Subscription } from 'rxjs';

/**
 * Runs `work` after `time` ms, unless it is unsubscribed from first. In a process that was busy,
 * timers are due before the sockets are read. So `work` waits for the sockets to be read, since
 * data may have come in time.
 */
export function atDeadline(time: number, work: () => void, scheduler: SchedulerLike): Subscription {
  const due = scheduler.schedule(() => {
    // The first one is called in this round of the event loop, which may have read its sockets
    // already.
    let immediate = setImmediate(() => {
      immediate = setImmediate(work);
    });
    due.add(() => clearImmediate(immediate));
  }, time);
  return due;
}

/**
 * How long a refused client has to close by itself, in ms. It is less than a player has, since
 * refused clients may be many, and nothing is owed to them but the reason.
 */
const CLOSE_GRACE_MS = 1_000;

/**
 * Closes a connection by force if it has not closed in time. Otherwise a client that does not read,
 * or does not answer a close frame, would stay connected forever.
 */
export function forceClose(
  destroy: () => void,
  closed$: Observable<unknown>,
  scheduler: SchedulerLike,
  grace = CLOSE_GRACE_MS,
): void {
  const due = atDeadline(grace, destroy, scheduler);
  closed$.pipe(take(1)).subscribe(() => due.unsubscribe());
}
