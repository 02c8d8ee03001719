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
 * A poll on a new connection that is younger than this, in ms, was sent because of the same wake. A
 * wake does not abort it.
 */
const YOUNG_POLL_MS = 1_000;

/**
 * A first poll counts as held after this time, in ms. It has no index, so the service has to answer
 * it at once.
 */
const FIRST_HELD_MS = 5_000;

/** What a poll needs of the interruptions of its watch. */
type PollInterruptions = Pick<Interruptions, 'attach' | 'detach' | 'wokenAt'>;

/** The watch of a poll. */
interface Polling<A> {
  readonly poll: SinglePoll<A>;
  readonly settings: WatchSettings<A>;
  readonly watchId: number;
}

/**
 * Sends one poll, once the quota and `beforePoll` allow it. Emits `waiting` until then, `sent`,
 * `held` once the service has been holding the poll for a while, then how the poll ended, and
 * completes. The poll is aborted at its timeout, at an interruption, and when it is unsubscribed
 * from.
 *
 * `state` returns the current state of the watch.
 */
export function pollOnce<A>(
  polling: Polling<A>,
  state: () => WatchState,
  interruptions: PollInterruptions,
): Observable<WatchEvent<A>> {
  return new Observable(subscriber => {
    const open = new OpenPoll(polling, state, interruptions, subscriber);
    subscriber.add(open);
    open.begin();
  });
}

/** One poll. It has one timer and as few objects as it can, since a process may hold thousands. */
class OpenPoll<A> implements Observer<Polled<A>>, Interruptible, Unsubscribable {
  readonly #polling: Polling<A>;
  readonly #state: () => WatchState;
  readonly #interruptions: PollInterruptions;
  readonly #subscriber: Subscriber<WatchEvent<A>>;
  /** The state when the poll was begun. */
  readonly #before: WatchState;
  /** The permission to send the poll, then its answer. */
  #awaited: Unsubscribable | undefined;
  #timer: Subscription | undefined;
  /** `undefined` until the poll has been sent. */
  #context: OpenPollContext | undefined;
  /** How long the poll may still take after the current timer, in ms. */
  #timeLeft = 0;
  #isRestarted = false;
  #isOver = false;

  constructor(
    polling: Polling<A>,
    state: () => WatchState,
    interruptions: PollInterruptions,
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
    this.#interruptions.attach(this);
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
    // A wake may have come while no poll was on its way.
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
    // Without an index, the service answers at once. So a poll that it holds is no sign of life.
    const held = position.index === undefined ? FIRST_HELD_MS : this.#heldAfter;
    const wait = Math.min(held, settings.timeout);
    this.#timeLeft = settings.timeout - wait;
    this.#timer = settings.scheduler.schedule<OpenPoll<A>>(onTimer, wait, this);
  }

  /** Called when the poll may count as held, and at its timeout. */
  onTime(timer: SchedulerAction<OpenPoll<A>>): void {
    if (this.#context?.arrivedAt) return;
    if (this.#timeLeft === 0) return this.#end({ kind: 'timeout', wasSent: this.#wasSent });
    const heldIn = this.#heldIn();
    const wait = heldIn > 0 ? Math.min(heldIn, this.#timeLeft) : this.#timeLeft;
    this.#timeLeft -= wait;
    timer.schedule(this, wait);
    if (heldIn === 0 && !this.#isRestarted) this.#emitHeld();
  }

  /**
   * The time, in ms, until the poll may count as held. A first poll may have waited for its token.
   */
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

  #emitHeld(): void {
    // A poll that waits for its token is not held by the service. A body that has begun to arrive
    // may take as long as it flows.
    if (this.#context?.sentAt && !this.#context.arrivedAt) this.#subscriber.next({ kind: 'held' });
  }

  interrupt(kind: Interruption): void {
    const { monotonic, scheduler, timeout } = this.#polling.settings;
    if (kind === 'offline' || kind === 'online') {
      this.#subscriber.next({ kind });
      if (kind === 'offline' || this.#before.position.index === undefined || !this.#context) return;
      // From now on, the poll counts as one that was just sent.
      this.#isRestarted = true;
      const held = this.#heldAfter;
      if (held < timeout) this.#timer?.add(scheduler.schedule(() => this.#emitHeld(), held));
      return;
    }
    // A poll that has not been sent yet needs no abort, since it gets a new connection anyway.
    const { askedAt, needsFreshConnection } = this.#context ?? {};
    const isYoung = askedAt !== undefined && monotonic.now() - askedAt < YOUNG_POLL_MS;
    if (kind === 'woken' && (!this.#context || (isYoung && needsFreshConnection))) return;
    this.#end({ kind, wasSent: this.#wasSent });
  }

  #end(event: WatchEvent<A>): void {
    if (this.#isOver) return;
    // A poll that has ended by itself needs no abort.
    if (!ENDS.includes(event.kind)) this.#context?.abort();
    this.#stop();
    this.#subscriber.next(event);
    this.#subscriber.complete();
  }

  #stop(): void {
    this.#isOver = true;
    this.#interruptions.detach(this);
    this.#awaited?.unsubscribe();
    this.#timer?.unsubscribe();
  }
}

/** A function of the module and not a closure, since there are thousands of polls. */
function onTimer<A>(this: SchedulerAction<OpenPoll<A>>, poll?: OpenPoll<A>): void {
  poll?.onTime(this);
}

/** The events with which a poll ends by itself. */
const ENDS: readonly string[] = ['answer', 'completed', 'failure'];

/**
 * Completes when a poll may be sent. A prerendered page has to be shown first. Emits `waiting` if
 * the quota has no room for the poll yet.
 */
function whenAllowed<A>(settings: WatchSettings<A>): Observable<WatchEvent<A>> {
  const { quota, beforePoll, monotonic } = settings;
  const room$ = (quota?.take('poll') ?? EMPTY).pipe(
    map(wait => ({ kind: 'waiting', until: monotonic.now() + wait }) as const),
  );
  const beforePoll$ = defer(() => beforePoll?.() ?? EMPTY).pipe(take(1), ignoreElements());
  return concat(isPrerendering() ? whenShown() : EMPTY, room$, beforePoll$);
}

/** How long a poll was held, in ms, and whether an answer had begun to arrive. */
function heldBy(context: OpenPollContext | undefined, clocks: Clocks) {
  const { sentAt, arrivedAt } = context ?? {};
  const endedAt = arrivedAt ?? instant(clocks);
  return {
    heldFor: sentAt ? endedAt.monotonic - sentAt.monotonic : 0,
    hasArrived: arrivedAt !== undefined,
    wasSent: sentAt !== undefined,
  };
}
