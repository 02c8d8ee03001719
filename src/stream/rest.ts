import { merge, switchMap, take, timer, type Observable } from 'rxjs';
import type { Turn } from './turn.js';
import { WAKE_JITTER } from './wake-jitter.js';
import type { WatchSettings } from './watch-settings.js';

/** Emits when the next poll is due: after the turn's wait, or soon after a wake, unless the service asked for the wait. */
export function rest<A>(
  { wait, why }: Turn<A>,
  wake$: Observable<unknown>,
  { random, scheduler }: WatchSettings<A>,
): Observable<unknown> {
  const due$ = timer(wait, scheduler);
  if (why === 'asked') return due$;
  const woken$ = wake$.pipe(
    take(1),
    switchMap(() => timer(random() * WAKE_JITTER, scheduler)),
  );
  return merge(due$, woken$).pipe(take(1));
}
