import { defer, Subject, type Subscriber, type Subscription } from 'rxjs';
import type { Audience } from './held-while.js';
import type { Interruption } from './turn/index.js';
import { pageOffline } from './wake.js';
import type { WatchSettings } from './watch-config.js';

/** The number of watches of this process that are subscribed to, and not paused. */
export let openWatches = 0;

/** What interrupts a watch: the machine wakes, the page goes offline, the audience of a feed leaves or comes back. */
export class Interruptions {
  readonly interruption$ = new Subject<Interruption>();
  /** Whether there is anybody to poll for. */
  isActive = true;
  /** When the machine woke last, on the monotonic clock. */
  wokenAt = -Infinity;
  readonly #settings: Pick<WatchSettings<never>, 'monotonic' | 'wake$'>;
  #pending: readonly Interruption[];
  #following: Subscription | undefined;

  constructor(settings: Pick<WatchSettings<never>, 'monotonic' | 'wake$'>, isReturning: boolean) {
    this.#settings = settings;
    this.#pending = isReturning ? ['returned'] : [];
  }

  /** Begins to follow what may interrupt, until the subscriber has left. */
  begin(subscriber: Subscriber<never>, isActive$: Audience<never>['isActive$'] | undefined): void {
    subscriber.add(() => this.#follow(false));
    if (isActive$) subscriber.add(isActive$.subscribe(isActive => this.#setActive(isActive)));
    else this.#setActive(true);
  }

  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** It has to be dealt with before the next poll. */
  defer(kind: Interruption): void {
    if (!this.#pending.includes(kind)) this.#pending = [...this.#pending, kind];
  }

  /** What has to be dealt with, which it is now. */
  take(): readonly Interruption[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }

  /** It has been dealt with. */
  settle(kind: string): void {
    if (this.isPending) this.#pending = this.#pending.filter(each => each !== kind);
  }

  #setActive(isNowActive: boolean): void {
    const isChanged = isNowActive !== this.isActive;
    this.isActive = isNowActive;
    // Even if this is during an acknowledgement, which nothing interrupts.
    if (isChanged && isNowActive) this.defer('returned');
    this.#follow(isNowActive);
    if (isChanged) this.interruption$.next(isNowActive ? 'returned' : 'left');
  }

  #follow(isFollowing: boolean): void {
    if (this.#following) openWatches--;
    this.#following?.unsubscribe();
    this.#following = undefined;
    if (!isFollowing) return;
    openWatches++;
    const { monotonic, wake$ } = this.#settings;
    const woken = () => {
      this.wokenAt = monotonic.now();
      this.interruption$.next('woken');
    };
    // A wake source that fails does not end the watch.
    this.#following = defer(() => wake$).subscribe({ next: woken, error: () => undefined });
    const offline = () => {
      this.defer('offline');
      this.interruption$.next('offline');
    };
    this.#following.add(pageOffline().subscribe(offline));
  }
}
