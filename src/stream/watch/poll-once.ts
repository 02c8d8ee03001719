import {
  catchError,
  defaultIfEmpty,
  defer,
  filter,
  from,
  map,
  merge,
  NEVER,
  of,
  Subject,
  take,
  takeUntil,
  takeWhile,
  timer,
  type Observable,
} from 'rxjs';
import type { Poll, WatchSettings } from './watch-config.js';
import type { Instant } from './watch-index.js';
import type { Ending, WatchState } from './watch-turn.js';

/** A poll with an index that has been held for this long, in ms, shows that the service is well. */
const LIVE_AFTER = 2_000;

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL = 1_000;

/** The service holds the poll: there is nothing new so far. */
export interface Held {
  readonly kind: 'held';
}

/**
 * Sends one poll and emits how it ended, and before that whether it is being held. It never errors; at a deadline or a wake the
 * poll is aborted.
 */
export function pollOnce<A>(
  poll: Poll<A>,
  { index, needsFreshConnection }: Pick<WatchState, 'index' | 'needsFreshConnection'>,
  wake$: Observable<unknown>,
  { deadline, scheduler }: Pick<WatchSettings<A>, 'deadline' | 'scheduler'>,
  askedAt: Instant,
): Observable<Ending<A> | Held> {
  const arrival$ = new Subject<void>();
  const onArrival = () => arrival$.next();
  const ended$ = defer(() => from(poll(index, { needsFreshConnection, onArrival }))).pipe(
    take(1),
    map((answer): Ending<A> => ({ kind: 'answer', answer, askedAt })),
    defaultIfEmpty<Ending<A>, Ending<A>>({ kind: 'nothing', askedAt }),
    catchError((error: unknown) => of<Ending<A>>({ kind: 'failure', error, askedAt })),
  );
  const late$ = timer(deadline, scheduler).pipe(
    map((): Ending<A> => ({ kind: 'deadline', askedAt })),
    takeUntil(arrival$),
  );
  const woken$ = wake$.pipe(
    filter(() => !needsFreshConnection || scheduler.now() - askedAt.at >= YOUNG_POLL),
    map((): Ending<A> => ({ kind: 'woken', askedAt })),
  );
  // Without an index the service answers at once, so that a wait is no good sign.
  const held$ =
    index === undefined ? NEVER : timer(LIVE_AFTER, scheduler).pipe(map((): Held => ({ kind: 'held' })));
  return merge(ended$, late$, woken$, held$).pipe(takeWhile(({ kind }) => kind === 'held', true));
}
