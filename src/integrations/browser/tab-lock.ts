import { exhaustMap, ignoreElements, merge, Observable, of, startWith, Subject, switchMap, tap } from 'rxjs';

/** The part of the Web Locks API that is used. */
export interface TabLocks {
  request(
    name: string,
    options: { readonly steal: true } | { readonly signal: unknown },
    callback: () => Promise<void>,
  ): Promise<unknown>;
  query(): Promise<{ readonly held?: readonly LockInfo[]; readonly pending?: readonly LockInfo[] }>;
}

interface LockInfo {
  readonly name?: string;
  readonly clientId?: string;
}

/** The lock of the leader, if this tab has it. */
export interface TabLock {
  /** Whether other tabs wait for it. */
  readonly isWanted: boolean;
  /** Asks the browser whether this tab still has it. A tab that stood still cannot know. */
  readonly isStillOurs: () => Promise<boolean>;
}

/**
 * Waits for the lock while it is subscribed to. The tab that has the lock is the leader. Emits the
 * lock when this tab has it, and `undefined` when another tab has taken it away. When a tab is
 * closed, the browser gives its lock to the next tab. It is slow to do so for a page that it
 * caches. So `silent$` emits when the leader is silent. Then this tab takes the lock away, if it is
 * visible or no tab has the lock.
 *
 * Fails where locks are forbidden, as in a sandboxed frame. Then the tab polls for itself
 * (`tab-watch.ts`). It also does where a page has no locks at all (`across-tabs.ts`).
 */
export function tabLock(
  locks: TabLocks,
  name: string,
  silent$: Observable<unknown>,
  isVisible: () => boolean,
): Observable<TabLock | undefined> {
  const attempts$ = new Subject<'queue' | 'steal'>();
  const lock$ = attempts$.pipe(
    startWith('queue' as const),
    switchMap(how => requestLock(locks, name, how)),
    switchMap(hasLock => {
      if (hasLock) return inspect(locks, name);
      attempts$.next('queue');
      return of(undefined);
    }),
  );
  const stealing$ = silent$.pipe(
    exhaustMap(async () => isVisible() || (await leaderOf(locks, name)) === undefined),
    tap(mayTake => {
      if (mayTake) attempts$.next('steal');
    }),
    ignoreElements(),
  );
  return merge(lock$, stealing$);
}

declare const AbortController: new () => { readonly signal: unknown; abort(): void };

/**
 * Emits `true` when this tab has the lock, and `false` when it has lost it. Unsubscribing gives the
 * lock back, or leaves the queue.
 */
function requestLock(locks: TabLocks, name: string, how: 'queue' | 'steal'): Observable<boolean> {
  return new Observable(subscriber => {
    const withdrawal = new AbortController();
    let release = (): void => undefined;
    subscriber.add(() => {
      withdrawal.abort();
      release();
    });
    let isGranted = false;
    const granted = () =>
      new Promise<void>(resolve => {
        isGranted = true;
        release = resolve;
        if (subscriber.closed) resolve();
        else subscriber.next(true);
      });
    const lost = () => subscriber.next(false);
    // The API refuses to combine the two options.
    const options = how === 'steal' ? ({ steal: true } as const) : { signal: withdrawal.signal };
    locks.request(name, options, granted).then(lost, (error: unknown) => {
      if (isGranted) lost();
      else subscriber.error(error);
    });
  });
}

/** Called when this tab has got the lock. */
async function inspect(locks: TabLocks, name: string): Promise<TabLock> {
  const self = await leaderOf(locks, name);
  return {
    isWanted: await isWanted(locks, name),
    isStillOurs: async () => {
      const leader = await leaderOf(locks, name);
      // If the browser did not name this tab, or does not name the leader, this tab counts as the
      // leader.
      return self === UNKNOWN || leader === UNKNOWN || leader === self;
    },
  };
}

/** Stands for the id of a tab if the browser does not tell it. */
const UNKNOWN = 'unknown';

/** The id of the tab that has the lock. `undefined` if no tab has it. */
function leaderOf(locks: TabLocks, name: string): Promise<string | undefined> {
  return locks.query().then(
    ({ held = [] }) => held.find(lock => lock.name === name)?.clientId,
    () => UNKNOWN,
  );
}

function isWanted(locks: TabLocks, name: string): Promise<boolean> {
  return locks.query().then(
    ({ pending = [] }) => pending.some(lock => lock.name === name),
    () => true,
  );
}
