import { delay, merge, NEVER, Subject, switchMap, take, timer, type Observable } from 'rxjs';
import { unknownRecovery, type Recovery } from '../../error/index.js';
import { backoffDelay, spreadWait, type WatchSettings, type WatchStatus } from '../../stream/index.js';

/** After this many refused refreshes since the last that succeeded, the status says so. */
const MAX_REFUSED = 3;

/**
 * Decides what happens after a refresh that failed. A failure backs off. The service may refuse a
 * page, for example because it no longer knows the anchor. Then the next refresh begins once the
 * watched page has been answered again. Only the watch of that page ends a roster.
 */
export class FailedRefreshes {
  /** The status of the roster, when it differs from that of its watched page. */
  readonly status$ = new Subject<WatchStatus>();
  readonly #settings: WatchSettings<never>;
  readonly #answered$: Observable<unknown>;
  readonly #wake$: Observable<unknown>;
  #count = 0;
  #refused = 0;

  constructor(settings: WatchSettings<never>, answered$: Observable<unknown>, wake$: Observable<unknown>) {
    this.#settings = settings;
    this.#answered$ = answered$;
    this.#wake$ = wake$;
  }

  /** Whether the status shown is that of the refreshes, and not that of the watched page. */
  get areShown(): boolean {
    return this.#count > 0;
  }

  /** A refresh has been completed. `status` is that of the watched page. */
  reset(status: WatchStatus): void {
    if (this.areShown) this.status$.next(status);
    this.#count = 0;
    this.#refused = 0;
  }

  /** Emits when it is time to try again. `status` is that of the watched page. */
  nextTry$(error: unknown, status: WatchStatus): Observable<unknown> {
    const decided = this.#settings.recovery(error) as Recovery | undefined;
    if (decided?.kind === 'end' || decided?.kind === 'index') return this.#refuse(error, status);
    if (decided?.kind === 'retry' || decided?.kind === 'no_news')
      return this.#backOff(error, status, decided);
    throw unknownRecovery(decided);
  }

  #refuse(error: unknown, status: WatchStatus): Observable<unknown> {
    const { minInterval, scheduler } = this.#settings;
    this.#refused++;
    if (this.#refused >= MAX_REFUSED) {
      this.#count++;
      this.status$.next(this.#changed(status, { error, state: 'retrying', nextTry: undefined }));
    }
    return this.#answered$.pipe(take(1), delay(minInterval, scheduler));
  }

  #backOff(error: unknown, status: WatchStatus, recovery: Recovery): Observable<unknown> {
    const { backoff, minInterval, random, scheduler } = this.#settings;
    const { retryAfter, offline } = recovery.kind === 'retry' ? recovery : {};
    this.#count++;
    const failed = this.#changed(status, { error, state: offline ? 'offline' : 'retrying' });
    const wait = Math.max(minInterval, backoffDelay(this.#count, backoff, random(), retryAfter));
    const after$ = (ms: number) => {
      this.status$.next({ ...failed, nextTry: scheduler.now() + ms });
      return timer(ms, scheduler);
    };
    const woken$ = this.#wake$.pipe(
      take(1),
      switchMap(() => after$(Math.min(wait, spreadWait(1, { random })))),
    );
    return merge(after$(wait), retryAfter === undefined ? woken$ : NEVER).pipe(take(1));
  }

  #changed(status: WatchStatus, change: Partial<WatchStatus>): WatchStatus {
    return { ...status, since: this.#settings.scheduler.now(), attempt: this.#count, ...change };
  }
}
