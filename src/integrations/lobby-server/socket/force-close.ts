import { takeUntil, timer, type Observable, type SchedulerLike } from 'rxjs';

/** How long the other side has to close by itself, in ms. */
const CLOSE_GRACE = 1_000;

/**
 * Closes a connection by force if it has not closed within a second. Otherwise a client that does not read, or does not answer
 * a close frame, would stay connected forever.
 */
export function forceClose(
  destroy: () => void,
  closed$: Observable<unknown>,
  scheduler: SchedulerLike,
): void {
  timer(CLOSE_GRACE, scheduler).pipe(takeUntil(closed$)).subscribe(destroy);
}
