import {
  concat,
  defer,
  EMPTY,
  ignoreElements,
  map,
  Observable,
  take,
  type Observer,
  type SchedulerAction,
  type Subscriber,
  type Subscription,
  type Unsubscribable,
} from 'rxjs';
import { follow } from '../direct/index.js';
import { instant, type Clocks, isPrerendering, whenShown } from './timing/index.js';
import type { Interruptible, Interruptions } from './interruptions.js';
import type { Interruption, WatchEvent, WatchState } from './transition/index.js';
import { OpenPollContext, type Polled, type SinglePoll } from './poll.js';
import type { WatchSettings } from './watch-settings.js';

/**
 * A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent
 * because of the same wake.
 */
const YOUNG_POLL_MS = 1_000;

/**
 * After this time, in ms, a first poll is said to be held: it has no index, so that the service has
 * to answer it at once.
 */
const FIRST_HELD_MS = 5_000;

/** The watch of a poll. */
interface Polling<A> {
  readonly poll: SinglePoll<A>;
  readonly settings: WatchSettings<A>;
  readonly watchId: number;
}

/**
 * Sends one poll, once the quota and `beforePoll` allow it. Emits `waiting` until then, `sent`,
 * `held` once the service has been holding it for a while, then how it ended, and completes. At its
 * timeout and at an interruption it is aborted; so it is when it is unsubscribed from.
 *
 * `state` is the state of the watch now.
 */
export function pollOnce<A>(
  polling: Polling<A>,
  state: () => WatchState,
  interruptions: Pick<Interruptions, 'hold' | 'release' | 'wokenAt'>,
): Observable<WatchEvent<A>> {
  return new Observable(subscriber => {
    const open = new OpenPoll(polling, state, interruptions, subscriber);
    subscriber.add(open);
    open.begin();
  });
}

/** One poll. It has one timer, and as few objects as it can, since a process may hold thousands. */
class OpenPoll<A> implements Observer<Polled<A>>, Interruptible, Unsubscribable {
  readonly #polling: Polling<A>;
  readonly #state: () => WatchState;
  readonly #interruptions: Pick<Interruptions, 'hold' | 'release' | 'wokenAt'>;
  readonly #subscriber: Subscriber<WatchEvent<A>>;
  /** When it was begun. */
  readonly #before: WatchState;
  /** What it waits for: to be allowed, then its answer. */
  #awaited: Unsubscribable | undefined;
  #timer: Subscription | undefined;
  /** Once it has been sent. */
  #context: OpenPollContext | undefined;
  /** How long it may still take after the timer that is set, in ms. */
  #timeLeft = 0;
  #isHeldAnew = false;
  #isOver = false;

  constructor(
    polling: Polling<A>,
    state: () => WatchState,
    interruptions: Pick<Interruptions, 'hold' | 'release' | 'wokenAt'>,
    subscriber: Subscriber<WatchEvent<A>>,
  ) {
    this.#polling = polling;
    this.#state = state;
    this.#interruptions = interruptions;
    this.#subscriber = subscriber;
    this.#before = state();
  }

  begin(): void {
    const { settings } = this.#polling;
    this.#interruptions.hold(this);
    if (!settings.quota && !settings.beforePoll && !isPrerendering()) return this.#send();
    const next = (event: WatchEvent<A>) => this.#subscriber.next(event);
    const error = (error: unknown) => this.error(error);
    const allowed = whenAllowed(settings).subscribe({ next, error, complete: () => this.#send() });
    if (this.#isOver) allowed.unsubscribe();
    else if (!this.#context) this.#awaited = allowed;
  }

  next(polled: Polled<A>): void {
    this.#end({ kind: 'answer', arrivedAt: this.#context?.arrivedAt, ...polled });
  }

  error(error: unknown): void {
    this.#end({ kind: 'failure', error, ...heldBy(this.#context, this.#polling.settings) });
  }

  complete(): void {
    this.#end({ kind: 'completed' });
  }

  unsubscribe(): void {
    if (this.#isOver) return;
    this.#context?.abort();
    this.#stop();
  }

  #send(): void {
    const { poll, settings, watchId } = this.#polling;
    const { position, needsFreshConnection, askedAt } = this.#before;
    // A wake may have come while nothing was on its way.
    const isFresh = needsFreshConnection || this.#interruptions.wokenAt > askedAt.monotonic;
    const context = new OpenPollContext(settings, isFresh, watchId);
    this.#context = context;
    this.#subscriber.next({ kind: 'sent' });
    if (this.#subscriber.closed) return;
    try {
      const answered = follow(poll(position.index, context), this);
      if (this.#isOver) return answered.unsubscribe();
      this.#awaited = answered;
    } catch (error) {
      return this.error(error);
    }
    // Without an index the service answers at once: that it holds the poll is no sign of life.
    const held = position.index === undefined ? FIRST_HELD_MS : this.#heldAfter;
    const wait = Math.min(held, settings.timeout);
    this.#timeLeft = settings.timeout - wait;
    this.#timer = settings.scheduler.schedule<OpenPoll<A>>(onTimer, wait, this);
  }

  /** Called when it may be said to be held, and at its timeout. */
  onTime(timer: SchedulerAction<OpenPoll<A>>): void {
    if (this.#context?.arrivedAt) return;
    if (this.#timeLeft === 0) return this.#end({ kind: 'timeout', wasSent: this.#wasSent });
    const heldIn = this.#heldIn();
    const wait = heldIn > 0 ? Math.min(heldIn, this.#timeLeft) : this.#timeLeft;
    this.#timeLeft -= wait;
    timer.schedule(this, wait);
    if (heldIn === 0 && !this.#isHeldAnew) this.#tellHeld();
  }

  /** In how many ms it may be said to be held. A first poll may have waited for its token. */
  #heldIn(): number {
    if (this.#before.position.index !== undefined) return 0;
    const sentAt = this.#context?.sentAt;
    if (!sentAt) return FIRST_HELD_MS;
    return Math.max(0, FIRST_HELD_MS - (this.#polling.settings.monotonic.now() - sentAt.monotonic));
  }

  get #wasSent(): boolean {
    return this.#context?.sentAt !== undefined;
  }

  get #heldAfter(): number {
    return this.#state().health.heldAfter;
  }

  #tellHeld(): void {
    // A poll that waits for its token is not held by the service. What has begun to arrive may take
    // as long as it flows.
    if (this.#context?.sentAt && !this.#context.arrivedAt) this.#subscriber.next({ kind: 'held' });
  }

  interrupt(kind: Interruption): void {
    const { monotonic, scheduler, timeout } = this.#polling.settings;
    if (kind === 'offline' || kind === 'online') {
      this.#subscriber.next({ kind });
      if (kind === 'offline' || this.#before.position.index === undefined || !this.#context) return;
      // From now on.
      this.#isHeldAnew = true;
      const held = this.#heldAfter;
      if (held < timeout) this.#timer?.add(scheduler.schedule(() => this.#tellHeld(), held));
      return;
    }
    // A poll that has not been sent yet needs no abort: it gets a new connection anyway.
    const { askedAt, needsFreshConnection } = this.#context ?? {};
    const isYoung = askedAt !== undefined && monotonic.now() - askedAt < YOUNG_POLL_MS;
    if (kind === 'woken' && (!this.#context || (isYoung && needsFreshConnection))) return;
    this.#end({ kind, wasSent: this.#wasSent });
  }

  #end(event: WatchEvent<A>): void {
    if (this.#isOver) return;
    // Not if it has ended by itself.
    if (!ENDS.includes(event.kind)) this.#context?.abort();
    this.#stop();
    this.#subscriber.next(event);
    this.#subscriber.complete();
  }

  #stop(): void {
    this.#isOver = true;
    this.#interruptions.release(this);
    this.#awaited?.unsubscribe();
    this.#timer?.unsubscribe();
  }
}

/** A function of the module, not a closure: there are thousands of polls. */
function onTimer<A>(this: SchedulerAction<OpenPoll<A>>, poll?: OpenPoll<A>): void {
  poll?.onTime(this);
}

/** How a poll ends by itself. */
const ENDS: readonly string[] = ['answer', 'completed', 'failure'];

/**
 * Completes when a poll may be sent: not before a prerendered page is shown. Emits `waiting` if
 * there is no room for it in the quota yet.
 */
function whenAllowed<A>(settings: WatchSettings<A>): Observable<WatchEvent<A>> {
  const { quota, beforePoll, monotonic } = settings;
  const room$ = (quota?.() ?? EMPTY).pipe(
    map(wait => ({ kind: 'waiting', until: monotonic.now() + wait }) as const),
  );
  const beforePoll$ = defer(() => beforePoll?.() ?? EMPTY).pipe(take(1), ignoreElements());
  return concat(isPrerendering() ? whenShown() : EMPTY, room$, beforePoll$);
}

/** How long a poll was held, in ms, and whether an answer had begun. */
function heldBy(context: OpenPollContext | undefined, clocks: Clocks) {
  const { sentAt, arrivedAt } = context ?? {};
  const endedAt = arrivedAt ?? instant(clocks);
  return {
    heldFor: sentAt ? endedAt.monotonic - sentAt.monotonic : 0,
    hasArrived: arrivedAt !== undefined,
    wasSent: sentAt !== undefined,
  };
}
