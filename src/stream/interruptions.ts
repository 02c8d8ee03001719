import {
  asapScheduler,
  merge,
  NEVER,
  Observable,
  Subscription,
  take,
  timer,
  type ObservableInput,
  type Observer,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import { follow, onlyNext } from '../direct/index.js';
import { isAwaitable } from '../error/index.js';
import { flattened } from './awaited.js';
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

/** Of these two, only the later one counts. */
const OPPOSITE: Partial<Record<Interruption, Interruption>> = { offline: 'online', online: 'offline' };

/** After this number of polls in a row, timers and the network get a tick. */
const SOON_IN_A_ROW = 32;

/** A poll or a rest, which can be interrupted. */
export interface Interruptible {
  /** Returns whether it sees to the interruption. If it is over already, it does not. */
  interrupt(kind: Interruption): boolean;
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
  #soonInARow = 0;

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

  /** Interrupts this poll or rest from now on, instead of the one before. */
  attach(current: Interruptible): void {
    this.#current = current;
  }

  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Returns the interruptions that the next poll has to wait for, and forgets them. */
  take(): readonly Interruption[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }

  /**
   * Emits after a wait, in ms, or as soon as an interruption has to be dealt with. A wake counts
   * only if the wait may be shortened.
   */
  rest(wait: number, isShortenable: boolean): Observable<unknown> {
    const { scheduler } = this.#settings;
    const left = this.isPending ? 0 : wait;
    const isDue = left === 0 && this.isActive && isRealTime(scheduler);
    if (isDue && this.#mayBeSoon()) return timer(0, asapScheduler);
    const isWakeable = left > 0 && this.isActive && isShortenable;
    return merge(this.isActive ? timer(left, scheduler) : NEVER, this.#early$(isWakeable)).pipe(take(1));
  }

  /**
   * Whether the next poll may go before any timer. Even one of 0 ms may take longer than the next
   * event takes to come.
   */
  #mayBeSoon(): boolean {
    this.#soonInARow = (this.#soonInARow + 1) % SOON_IN_A_ROW;
    return this.#soonInARow !== 0;
  }

  /** Emits when an interruption ends a rest. It has to be dealt with before the next poll. */
  #early$(isWakeable: boolean): Observable<unknown> {
    return new Observable(subscriber => {
      const interrupt = (kind: Interruption) => {
        if (subscriber.closed) return false;
        if (kind === 'woken' && !isWakeable) return true;
        this.#defer(kind);
        subscriber.next(kind);
        return true;
      };
      this.attach({ interrupt });
    });
  }

  /** Keeps an interruption, which has to be dealt with before the next poll. */
  #defer(kind: Interruption): void {
    const others = this.#pending.filter(other => other !== kind && other !== OPPOSITE[kind]);
    this.#pending = [...others, kind];
  }

  /** Interrupts the poll or the rest. If there is none, the interruption is kept. */
  #interrupt(kind: Interruption): void {
    const isSeenTo = this.#current?.interrupt(kind) ?? false;
    // Nothing interrupts an acknowledgement. The next poll looks at `wokenAt` and `isActive`.
    if (!isSeenTo && kind !== 'woken' && kind !== 'left') this.#defer(kind);
  }

  #setActive(isNowActive: boolean): void {
    const isChanged = isNowActive !== this.isActive;
    this.isActive = isNowActive;
    this.#follow(isNowActive);
    if (isChanged) this.#interrupt(isNowActive ? 'returned' : 'left');
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
    const woken: Observer<unknown> = onlyNext((wake: unknown) => {
      // Nothing has woken yet. It is not an operator, which would take memory for each watch.
      if (isAwaitable(wake))
        return following.add(flattened(wake as ObservableInput<unknown>).subscribe(woken));
      this.wokenAt = monotonic.now();
      this.#interrupt('woken');
    });
    following.add(follow(wake$, woken));
    if (tryNow$) following.add(follow(tryNow$, woken));
    if (!isPage()) return;
    following.add(pageOffline().subscribe(() => this.#interrupt('offline')));
    following.add(pageEvents('online').subscribe(() => this.#interrupt('online')));
  }
}
