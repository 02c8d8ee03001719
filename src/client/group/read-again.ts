import {
  catchError,
  concat,
  defer,
  EMPTY,
  ignoreElements,
  map,
  merge,
  NEVER,
  of,
  repeat,
  retry,
  Subject,
  switchMap,
  take,
  tap,
  throwError,
  timer,
  toArray,
  type Observable,
} from 'rxjs';
import {
  backoffDelay,
  changedStatus,
  connecting,
  spreadWait,
  type StatusChange,
  type WatchSettings,
  type WatchSignal,
  type WatchStatus,
} from '../../stream/index.js';

/** When pages are read again. */
export interface ReadAgainConfig {
  /** At least this often, in ms. */
  readonly refresh: number;
  /** What the watches of a client go by. */
  readonly settings: Pick<
    WatchSettings<never>,
    'backoff' | 'minInterval' | 'permit' | 'random' | 'recovery' | 'scheduler' | 'wake$'
  >;
}

/** The least time between two readings, in ms. */
const MIN_REFRESH = 5_000;

/**
 * Reads pages to their end, and again when they are stale, after a wake, and regularly. Emits all pages of each reading, and its
 * status as a watch does: failures are retried with a backoff. It ends only with an error that reading again cannot fix.
 */
export function readAgain<P>(
  page$: Observable<P>,
  stale$: Observable<unknown>,
  { refresh, settings }: ReadAgainConfig,
): Observable<WatchSignal<readonly P[]>> {
  const { backoff, minInterval, permit, random, recovery, scheduler } = settings;
  return defer(() => {
    let status: WatchStatus = connecting(scheduler.now());
    let isStale = false;
    const status$ = new Subject<WatchSignal<never>>();
    const to = (change: StatusChange) => {
      const changed = changedStatus(status, change, scheduler.now());
      status = changed.status;
      for (const signal of changed.signals) status$.next(signal);
    };
    // A wake source that fails ends nothing.
    const wake$ = defer(() => settings.wake$).pipe(catchError(() => NEVER));
    const change$ = merge(stale$, wake$);
    const permitted$ = defer(() => permit?.() ?? EMPTY).pipe(take(1), ignoreElements());

    /** Emits when it is time to read again. */
    const due = () => {
      const soon$ = timer(Math.min(refresh, MIN_REFRESH), scheduler);
      const early$ = soon$.pipe(switchMap(() => (isStale ? of(0) : change$)));
      return merge(timer(refresh, scheduler), early$).pipe(take(1));
    };
    /** Emits when it is time to try again after a failure. */
    const backedOff = (error: unknown) => {
      const meaning = recovery(error);
      if (meaning.kind === 'end' || meaning.kind === 'index') {
        to({ state: 'closed', error });
        return throwError(() => error);
      }
      const { after, hint, offline } = meaning.kind === 'retry' ? meaning : {};
      const attempt = status.attempt + 1;
      const wait = Math.max(minInterval, backoffDelay(attempt, backoff, random(), after));
      to({
        ...{ state: offline ? 'offline' : 'retrying', attempt, error, nextTry: scheduler.now() + wait },
        ...(status.lastAnswer === undefined && { hint }),
      });
      const woken$ = wake$.pipe(switchMap(() => timer(spreadWait(1, settings), scheduler)));
      return merge(timer(wait, scheduler), after === undefined ? woken$ : NEVER).pipe(take(1));
    };
    const reading$ = defer(() => {
      isStale = false;
      return concat(permitted$, page$);
    }).pipe(
      toArray(),
      tap(() => to({ state: 'live', lastAnswer: scheduler.now() })),
      map((answer): WatchSignal<readonly P[]> => ({ kind: 'answer', answer })),
      repeat({ delay: due }),
      retry({ delay: backedOff }),
    );
    const staleness$ = change$.pipe(
      tap(() => (isStale = true)),
      ignoreElements(),
    );
    return merge(of({ kind: 'status', status } as const), status$, staleness$, reading$);
  });
}
