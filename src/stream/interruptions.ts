import {
  asapScheduler,
  filter,
  merge,
  NEVER,
  Observable,
  Subscription,
  take,
  tap,
  timer,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import { follow, onlyNext } from '../direct/index.js';
import { isRealTime, isPage, pageEvents, pageOffline } from './timing/index.js';
import type { Audience } from './feed/index.js';
import type { Interruption } from './transition/index.js';
import type { WatchSettings } from './watch-settings.js';

const open = new WeakMap<SchedulerLike, number>();

/**
 * The number of watches in this process that are subscribed to and not paused. Watches with another
 * scheduler, such as a virtual one, do not wake with them, and are counted apart.
 */
export const openWatches = (scheduler: SchedulerLike): number => open.get(scheduler) ?? 0;

type Settings = Pick<WatchSettings<never>, 'monotonic' | 'scheduler' | 'tryNow$' | 'wake$'>;

/** After this number of polls in a row, timers and the network get a tick. */
const SOON_IN_A_ROW = 32;

/** A poll or a rest, which can be interrupted. */
export interface Interruptible {
  interrupt(kind: Interruption): void;
}

/**
 * The interruptions of a watch: the machine wakes, the page goes offline, or the audience of a feed
 * leaves or comes back.
 */
export class Interruptions {
  /** Whether to poll. A feed that lingers is active, too (see `Audience.isActive$`). */
  isActive = true;
  /** When the machine woke last, on the monotonic clock. */
  wokenAt = -Infinity;
  readonly #settings: Settings;
  #pending: readonly Interruption[];
  #following: Subscription | undefined;
  /** The poll or the rest that is under way. */
  #current: Interruptible | undefined;
  #soon = 0;

  constructor(settings: Settings, isReturning: boolean) {
    this.#settings = settings;
    this.#pending = isReturning ? ['returned'] : [];
  }

  /** Follows the sources of interruptions until the subscriber leaves. */
  begin(subscriber: Subscriber<never>, isActive$: Audience<never>['isActive$'] | undefined): void {
    subscriber.add(() => this.#follow(false));
    if (!isActive$) return this.#setActive(true);
    const activity = onlyNext((isActive: boolean) => this.#setActive(isActive));
    subscriber.add(follow(isActive$, activity));
  }

  /** Interrupts this poll or rest until {@link detach} is called. There is one at a time. */
  attach(current: Interruptible): void {
    this.#current = current;
  }

  detach(current: Interruptible): void {
    if (this.#current === current) this.#current = undefined;
  }

  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Keeps an interruption, which has to be dealt with before the next poll. */
  defer(kind: Interruption): void {
    if (!this.#pending.includes(kind)) this.#pending = [...this.#pending, kind];
  }

  /** Returns the interruptions that have to be dealt with, and forgets them. */
  take(): readonly Interruption[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }

  /** An interruption has been dealt with. */
  settle(kind: string): void {
    if (this.isPending) this.#pending = this.#pending.filter(pending => pending !== kind);
  }

  /**
   * Emits after a wait, in ms, or as soon as an interruption has to be dealt with. A wake counts
   * only if the wait may be shortened.
   */
  rest(wait: number, isShortenable: boolean): Observable<unknown> {
    const { scheduler } = this.#settings;
    const left = this.isPending ? 0 : wait;
    // Even a timer of 0 ms may take longer than the next event takes to come. But timers and the
    // network need a tick, too.
    const mayBeSoon = left === 0 && this.isActive && isRealTime(scheduler);
    if (mayBeSoon && ++this.#soon % SOON_IN_A_ROW !== 0) return timer(0, asapScheduler);
    const isWakeable = left > 0 && this.isActive && isShortenable;
    const early$ = this.#interruption$().pipe(
      filter(kind => kind !== 'woken' || isWakeable),
      tap(kind => this.defer(kind)),
    );
    return merge(this.isActive ? timer(left, scheduler) : NEVER, early$).pipe(take(1));
  }

  /** The interruptions of a rest. */
  #interruption$(): Observable<Interruption> {
    return new Observable(subscriber => {
      const rest: Interruptible = { interrupt: kind => subscriber.next(kind) };
      this.attach(rest);
      return () => this.detach(rest);
    });
  }

  #setActive(isNowActive: boolean): void {
    const isChanged = isNowActive !== this.isActive;
    this.isActive = isNowActive;
    // This may happen during an acknowledgement, which nothing interrupts.
    if (isChanged && isNowActive) this.defer('returned');
    this.#follow(isNowActive);
    if (isChanged) this.#current?.interrupt(isNowActive ? 'returned' : 'left');
  }

  #follow(isFollowing: boolean): void {
    const { monotonic, scheduler, tryNow$, wake$ } = this.#settings;
    if (this.#following) open.set(scheduler, openWatches(scheduler) - 1);
    this.#following?.unsubscribe();
    this.#following = undefined;
    if (!isFollowing) return;
    open.set(scheduler, openWatches(scheduler) + 1);
    const following = new Subscription();
    this.#following = following;
    // A wake source that ends does not end the watch.
    const woken = onlyNext(() => {
      this.wokenAt = monotonic.now();
      this.#current?.interrupt('woken');
    });
    following.add(follow(wake$, woken));
    if (tryNow$) following.add(follow(tryNow$, woken));
    if (!isPage()) return;
    const onPageEvent = (kind: Interruption, otherwise: Interruption) => () => {
      this.settle(otherwise);
      this.defer(kind);
      this.#current?.interrupt(kind);
    };
    following.add(pageOffline().subscribe(onPageEvent('offline', 'online')));
    following.add(pageEvents('online').subscribe(onPageEvent('online', 'offline')));
  }
}
