import {
  from,
  type ObservableInput,
  type Observer,
  type SchedulerAction,
  type Subscriber,
  type Subscription,
  type Unsubscribable,
  type Observable,
} from 'rxjs';
import { follow } from '../direct/index.js';
import type { Interruptible, Interruptions } from './interruptions.js';
import type { Polled, PollSignal, SentPollContext, SinglePoll } from './poll.js';
import { instant, type Clocks, type Instant } from './timing/index.js';
import type { Interruption, WatchEvent, WatchState } from './transition/index.js';
import type { WatchSettings } from './watch-settings.js';
import type { WatchSignal } from './watch-signal.js';

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
export type PollInterruptions = Pick<Interruptions, 'attach' | 'wokenAt'>;

/** The watch of a poll. */
export interface Polling<A> {
  readonly poll: SinglePoll<A>;
  readonly settings: WatchSettings<A>;
  readonly watchId: number;
}

/** Performs the transition that follows from an event. Emits its signals. */
export type Perform<A> = (event: WatchEvent<A>) => ObservableInput<WatchSignal<A>>;

/** The signals of an event that leads to none. */
export const NOTHING: readonly never[] = [];

/**
 * One poll, from the permission to send it to its end. It has one timer and as few objects as it
 * can, since a process may hold thousands.
 */
export class OpenPoll<A> implements Observer<Polled<A>>, Interruptible, Unsubscribable {
  readonly #polling: Polling<A>;
  readonly #state: () => WatchState;
  readonly #interruptions: PollInterruptions;
  readonly #perform: Perform<A>;
  readonly #subscriber: Subscriber<WatchSignal<A>>;
  /** The state when the poll was begun. */
  readonly #before: WatchState;
  /** The permission to send the poll, then its answer. */
  #awaited: Unsubscribable | undefined;
  /** `undefined` until the poll has been sent. */
  #context: OpenPollContext | undefined;
  #timer: Subscription | undefined;
  /** What the timer means. */
  #due: 'held' | 'timeout' = 'held';
  #isOver = false;

  constructor(
    polling: Polling<A>,
    state: () => WatchState,
    interruptions: PollInterruptions,
    perform: Perform<A>,
    subscriber: Subscriber<WatchSignal<A>>,
  ) {
    this.#polling = polling;
    this.#state = state;
    this.#interruptions = interruptions;
    this.#perform = perform;
    this.#subscriber = subscriber;
    this.#before = state();
  }

  /** Sends the poll once `allowed$` completes. Until then, that may emit that the poll waits. */
  begin(allowed$: Observable<WatchEvent<A>> | undefined): void {
    this.#interruptions.attach(this);
    if (!allowed$) return this.#send();
    const next = (event: WatchEvent<A>) => this.#report(event);
    const error = (error: unknown) => this.error(error);
    const allowed = allowed$.subscribe({ next, error, complete: () => this.#send() });
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
    if (this.#subscriber.closed) return;
    const { poll, settings, watchId } = this.#polling;
    const { position, needsFreshConnection, askedAt } = this.#before;
    // A wake may have come while no poll was on its way.
    const isFresh = needsFreshConnection || this.#interruptions.wokenAt > askedAt.monotonic;
    const context = new OpenPollContext(settings, isFresh, watchId, this);
    this.#context = context;
    try {
      const answered = follow(poll(position.index, context), this);
      if (this.#isOver) answered.unsubscribe();
      else this.#awaited = answered;
    } catch (error) {
      this.error(error);
    }
  }

  /** The request goes out: at once, when its token has come, or again after a 401. */
  onSent(): void {
    if (this.#isOver) return;
    this.#report({ kind: 'sent' });
    // Without an index, the service answers at once. So a poll that it holds is no sign of life.
    const hasIndex = this.#before.position.index !== undefined;
    this.#setTimer(hasIndex ? this.#state().health.heldAfter : FIRST_HELD_MS);
  }

  /** Sets the timer to when the poll may count as held or, if that comes first, to its timeout. */
  #setTimer(heldIn: number): void {
    const { monotonic, scheduler, timeout } = this.#polling.settings;
    const left = (this.#context?.sentAt?.monotonic ?? 0) + timeout - monotonic.now();
    this.#due = heldIn < left ? 'held' : 'timeout';
    const wait = Math.max(0, Math.min(heldIn, left));
    this.#timer?.unsubscribe();
    this.#timer = scheduler.schedule<OpenPoll<A>>(onTimer, wait, this);
  }

  onTime(): void {
    if (this.#context?.arrivedAt) return;
    if (this.#due === 'timeout') return this.#end({ kind: 'timeout' });
    this.#setTimer(Infinity);
    this.#report({ kind: 'held' });
  }

  get #wasSent(): boolean {
    return this.#context?.sentAt !== undefined;
  }

  interrupt(kind: Interruption): boolean {
    if (this.#isOver) return false;
    if (kind === 'offline' || kind === 'online') {
      this.#report({ kind });
      if (kind === 'online') this.#restart();
      return true;
    }
    const { monotonic } = this.#polling.settings;
    // A poll that has not been sent yet needs no abort, since it gets a new connection anyway.
    const { askedAt, needsFreshConnection } = this.#context ?? {};
    const isYoung = askedAt !== undefined && monotonic.now() - askedAt < YOUNG_POLL_MS;
    const isIgnored = kind === 'woken' && (!this.#context || (isYoung && needsFreshConnection));
    if (!isIgnored) this.#end({ kind, wasSent: this.#wasSent });
    return true;
  }

  /** From now on, the poll counts as one that was just sent. */
  #restart(): void {
    const hasIndex = this.#before.position.index !== undefined;
    if (hasIndex && this.#timer && !this.#isOver) this.#setTimer(this.#state().health.heldAfter);
  }

  /** Reports an event after which the poll goes on. What it leads to is emitted at once. */
  #report(event: WatchEvent<A>): void {
    const subscriber = this.#subscriber;
    try {
      const signals = this.#perform(event);
      if (signals === NOTHING) return;
      from(signals).subscribe({
        next: signal => subscriber.next(signal),
        error: (error: unknown) => subscriber.error(error),
      });
    } catch (error) {
      subscriber.error(error);
    }
  }

  /** Reports the event that ends the poll. What it leads to may take its time. */
  #end(event: WatchEvent<A>): void {
    if (this.#isOver) return;
    // A poll that has ended by itself needs no abort.
    if (!ENDS.includes(event.kind)) this.#context?.abort();
    this.#stop();
    try {
      from(this.#perform(event)).subscribe(this.#subscriber);
    } catch (error) {
      this.#subscriber.error(error);
    }
  }

  #stop(): void {
    this.#isOver = true;
    this.#awaited?.unsubscribe();
    this.#timer?.unsubscribe();
  }
}

/** A function of the module and not a closure, since there are thousands of polls. */
function onTimer<A>(this: SchedulerAction<OpenPoll<A>>, poll?: OpenPoll<A>): void {
  poll?.onTime();
}

/** The events with which a poll ends by itself. */
const ENDS: readonly string[] = ['answer', 'completed', 'failure'];

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

interface Aborting {
  readonly signal: PollSignal;
  abort(): void;
}

declare const AbortController: new () => Aborting;

/** The context that one poll is given. It keeps what the poll reports. */
class OpenPollContext implements SentPollContext {
  sentAt: Instant | undefined;
  arrivedAt: Instant | undefined;
  readonly onSent: () => void;
  readonly onArrival: () => void;
  readonly askedAt: number;
  #aborting: Aborting | undefined;
  #isAborted = false;

  constructor(
    clocks: Clocks,
    readonly needsFreshConnection: boolean,
    readonly pollOf: number,
    poll: Pick<OpenPoll<never>, 'onSent'>,
  ) {
    this.askedAt = clocks.monotonic.now();
    this.onSent = () => {
      this.sentAt = instant(clocks);
      poll.onSent();
    };
    this.onArrival = () => {
      this.arrivedAt ??= instant(clocks);
    };
  }

  /**
   * A getter on the prototype, so that neither a spread nor a poll that does not read it makes a
   * controller.
   */
  get signal(): PollSignal {
    this.#aborting ??= new AbortController();
    if (this.#isAborted) this.#aborting.abort();
    return this.#aborting.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#aborting?.abort();
  }
}
