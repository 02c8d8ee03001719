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

/** A lock that this tab has. */
export interface TabLock {
  /** Whether other tabs wait for it. */
  readonly isWanted: boolean;
  /** Asks the browser whether this tab still has it. A tab that stood still cannot know. */
  readonly isHeld: () => Promise<boolean>;
}

/**
 * Waits for a lock while it is subscribed to. Emits the lock when this tab has it, and `undefined`
 * when another tab has taken it away. When a tab is closed, the browser gives its lock to the next
 * tab. It is slow to do so for a page that it caches. So when the owner is silent, `silent$` emits,
 * and this tab takes the lock away, if it is visible or no tab has the lock.
 *
 * Fails where locks are forbidden, as in a sandboxed frame.
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
    switchMap(how => hold(locks, name, how)),
    switchMap(isHeld => {
      if (isHeld) return inspect(locks, name);
      attempts$.next('queue');
      return of(undefined);
    }),
  );
  const stealing$ = silent$.pipe(
    exhaustMap(async () => isVisible() || (await ownerOf(locks, name)) === undefined),
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
function hold(locks: TabLocks, name: string, how: 'queue' | 'steal'): Observable<boolean> {
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

async function inspect(locks: TabLocks, name: string): Promise<TabLock> {
  const self = await ownerOf(locks, name);
  return {
    isWanted: await isWanted(locks, name),
    // If the browser does not name the owner, or did not name this tab, this tab counts as the
    // owner.
    isHeld: async () => self === UNKNOWN || [self, UNKNOWN].includes(await ownerOf(locks, name)),
  };
}

/** The tab that has a lock. `undefined` if no tab has it. */
function ownerOf(locks: TabLocks, name: string): Promise<string | undefined> {
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

const UNKNOWN = 'unknown';
