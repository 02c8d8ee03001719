import { Subscription, timer, type SchedulerLike, type Subscriber } from 'rxjs';
import { DirectState } from '../../direct/index.js';

/** Counts the subscribers of a feed, and lingers after the last one has left. */
export class SubscriberCount {
  /** Whether there is no subscriber. */
  readonly isAbsent$ = new DirectState(true);
  /**
   * Whether to poll: while there is a subscriber, and for `linger` ms after that. It changes after
   * `isAbsent$`.
   */
  readonly isActive$ = new DirectState(false);
  readonly #linger: number;
  readonly #scheduler: SchedulerLike;
  readonly #onPause: () => void;
  #subscribers = 0;
  #lingering = Subscription.EMPTY;

  /** `onPause` is called when there has been no subscriber for `linger` ms. */
  constructor(linger: number, scheduler: SchedulerLike, onPause: () => void) {
    this.#linger = linger;
    this.#scheduler = scheduler;
    this.#onPause = onPause;
  }

  /**
   * Counts a subscriber until it leaves. Returns whether the feed still has a subscriber, since the
   * queued events may be enough for this one.
   */
  join(subscriber: Subscriber<never>): boolean {
    subscriber.add(() => this.#leave());
    this.#subscribers++;
    this.#lingering.unsubscribe();
    // This emits the queued events.
    if (this.isAbsent$.value) this.isAbsent$.next(false);
    if (this.#subscribers > 0 && !this.isActive$.value) this.isActive$.next(true);
    return this.#subscribers > 0;
  }

  /** The feed has ended. Without a subscriber, it does not linger. */
  end(): void {
    if (this.#subscribers > 0) return;
    this.#lingering.unsubscribe();
    if (this.isActive$.value) this.isActive$.next(false);
  }

  #leave(): void {
    this.#subscribers--;
    if (this.#subscribers > 0) return;
    this.isAbsent$.next(true);
    if (this.#linger === 0) this.#pause();
    else this.#lingering = timer(this.#linger, this.#scheduler).subscribe(() => this.#pause());
  }

  #pause(): void {
    this.isActive$.next(false);
    this.#onPause();
  }
}
