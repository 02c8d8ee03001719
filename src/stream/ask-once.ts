import {
  catchError,
  defaultIfEmpty,
  defer,
  from,
  map,
  of,
  raceWith,
  take,
  timeout,
  type Observable,
} from 'rxjs';
import type { Outcome } from './outcome.js';
import type { Poll } from './poll.js';
import type { WatchSettings } from './watch-settings.js';

/** One poll, as one outcome; it never fails. Whatever settles it aborts the poll. */
export function askOnce<A>(
  poll: Poll<A>,
  index: string | undefined,
  wake$: Observable<unknown>,
  { deadline, scheduler }: WatchSettings<A>,
): Observable<Outcome<A>> {
  const askedAt = scheduler.now();
  return defer(() => from(poll(index))).pipe(
    take(1),
    map((answer): Outcome<A> => ({ kind: 'answer', answer, askedAt })),
    defaultIfEmpty<Outcome<A>, Outcome<A>>({ kind: 'nothing' }),
    timeout({ first: deadline, scheduler, with: () => of<Outcome<A>>({ kind: 'deadline' }) }),
    raceWith(wake$.pipe(map((): Outcome<A> => ({ kind: 'woken' })))),
    take(1),
    catchError((error: unknown) => of<Outcome<A>>({ kind: 'failure', error })),
  );
}
