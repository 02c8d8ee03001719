import { takeUntil, timer, type Observable, type SchedulerLike } from 'rxjs';

/** How long a refused client has to close by itself, in ms. */
const CLOSE_GRACE = 1_000;

/**
 * Closes a connection by force if it has not closed in time. Otherwise a client that does not read, or does not answer a close frame, would
 * stay connected forever.
 */
export function forceClose(
  destroy: () => void,
  closed$: Observable<unknown>,
  scheduler: SchedulerLike,
  grace = CLOSE_GRACE,
): void {
  timer(grace, scheduler).pipe(takeUntil(closed$)).subscribe(destroy);
}
