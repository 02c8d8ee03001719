import {
  BehaviorSubject,
  defer,
  Observable,
  Subject,
  Subscription,
  timer,
  type Observer,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import { DirectState } from '../../direct/index.js';
import type { IdentityEventList, LiveEvent } from '../../protocol/index.js';
import { audienceOf, type Audience } from './audience.js';
import { connecting, idle, type WatchSignal, type WatchStatus } from '../watch-signal.js';

/** Gives the signals of a watch of events to the audience of a feed. */
export type FeedSource<Own extends object> = (
  audience: Audience<IdentityEventList<Own>>,
) => Observable<EventSignal<Own>>;

type EventSignal<Own extends object> = WatchSignal<IdentityEventList<Own>>;

/** The one subscription of a feed to its source, which all of its streams share. */
export class FeedConnection<Own extends object> implements Observer<EventSignal<Own>> {
  readonly status$: BehaviorSubject<WatchStatus>;
  /** The events. The connection is made for their subscribers. */
  readonly event$ = new Observable<LiveEvent<Own>>(subscriber => {
    // A subscriber that has left already must not be counted, since the queued events would be
    // emitted to it.
    if (subscriber.closed) return;
    subscriber.add(this.#event$.subscribe(subscriber));
    if (this.#subscriberCount.join(subscriber) && !this.#isConnected) this.#connect();
  });
  readonly #source: FeedSource<Own>;
  readonly #scheduler: SchedulerLike;
  readonly #subscriberCount: SubscriberCount;
  #signal$: Subject<EventSignal<Own>> | undefined;
  #event$ = new Subject<LiveEvent<Own>>();
  #isConnected = false;

  constructor(source: FeedSource<Own>, linger: number, scheduler: SchedulerLike) {
    this.#source = source;
    this.#scheduler = scheduler;
    this.status$ = new BehaviorSubject(idle(scheduler.now()));
    this.#subscriberCount = new SubscriberCount(linger, scheduler, () => {
      if (this.#isConnected) this.#become('idle');
    });
  }

  /** All signals but the status. A subscriber only observes. */
  get signal$(): Observable<EventSignal<Own>> {
    this.#signal$ ??= new Subject();
    return this.#signal$;
  }

  next(signal: EventSignal<Own>): void {
    if (signal.kind === 'status') return this.#observe(signal.status);
    this.#signal$?.next(signal);
    if (signal.kind === 'answer') for (const event of signal.answer.events) this.#event$.next(event);
  }

  error(error: unknown): void {
    this.#disconnect(error).error(error);
    this.#subscriberCount.end();
  }

  complete(): void {
    this.#disconnect(undefined).complete();
    this.#subscriberCount.end();
  }

  #connect(): void {
    this.#isConnected = true;
    const { isAbsent$, isActive$ } = this.#subscriberCount;
    const audience = audienceOf({ isAbsent$, isActive$, split: singleEvents<Own> });
    defer(() => this.#source(audience)).subscribe(this);
  }

  /**
   * Emits a status while the feed polls. An acknowledgement may still go on after the last
   * subscriber has left.
   */
  #observe(status: WatchStatus): void {
    if (this.#subscriberCount.isActive$.value || status.state === 'closed') this.status$.next(status);
  }

  #become(state: WatchStatus['state'], error?: unknown): void {
    const { lastAnswer } = this.status$.value;
    this.status$.next({ ...connecting(this.#scheduler.now(), lastAnswer), state, error });
  }

  /** Ends the connection. The next subscriber connects again, perhaps in response to the end. */
  #disconnect(error: unknown): Subject<LiveEvent<Own>> {
    const ended$ = this.#event$;
    this.#event$ = new Subject();
    this.#isConnected = false;
    // The watch reports its end, unless it is unsubscribed from.
    if (this.status$.value.state !== 'closed') this.#become('closed', error);
    return ended$;
  }
}

/** A batch as batches of one event each. */
function singleEvents<Own extends object>(batch: IdentityEventList<Own>): readonly IdentityEventList<Own>[] {
  return batch.events.map(event => ({ ...batch, events: [event] }));
}

/** Counts the subscribers of a feed, and lingers after the last one has left. */
class SubscriberCount {
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
