import {
  defer,
  EMPTY,
  ignoreElements,
  Observable,
  take,
  type ObservableInput,
  type SchedulerAction,
  type Subscriber,
  type Subscription,
} from 'rxjs';
import { instant, type Clocks, type Instant } from './clocks.js';
import type { Interruptions } from './interruptions.js';
import { waitBeforeExpiry, type Interruption, type WatchEvent, type WatchState } from './turn/index.js';
import type { PollSignal, Reservation, SentPollContext, SinglePoll } from './poll.js';
import type { WatchSettings } from './watch-config.js';

/** No poll waits for the budget until less than this is left before its index expires, in ms. */
const LAST_CHANCE_MS = 2_000;

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL_MS = 1_000;

/** What a poll needs to know of its watch. */
export interface PollOf {
  readonly watchId: number;
  readonly state: WatchState;
  readonly interruptions: Pick<Interruptions, 'interruption$' | 'wokenAt'>;
}

/**
 * Waits for the budget and the permit of one poll, and sends it. Emits `waiting` if there is no budget yet, `sent`, `held` once the service
 * has been holding it for a while, then how it ended, and completes. At its timeout and at an interruption it is aborted; so it is
 * when it is unsubscribed from.
 */
export function pollOnce<A>(
  poll: SinglePoll<A>,
  settings: WatchSettings<A>,
  of: PollOf,
): Observable<WatchEvent<A>> {
  return new Observable(subscriber => new SentPoll(poll, settings, of, subscriber).begin());
}

/** One poll. It has one timer, and as few objects as it can, since a process may hold thousands of polls. */
class SentPoll<A> {
  readonly #poll: SinglePoll<A>;
  readonly #settings: WatchSettings<A>;
  readonly #of: PollOf;
  readonly #subscriber: Subscriber<WatchEvent<A>>;
  #context: Context | undefined;
  #reservation: Reservation | undefined;
  #asking: Subscription | undefined;
  #timer: Subscription | undefined;
  #askedAt: Instant | undefined;
  #mayBeHeld: boolean;
  #isOver = false;

  constructor(
    poll: SinglePoll<A>,
    settings: WatchSettings<A>,
    of: PollOf,
    subscriber: Subscriber<WatchEvent<A>>,
  ) {
    [this.#poll, this.#settings, this.#of, this.#subscriber] = [poll, settings, of, subscriber];
    const { place, health } = of.state;
    // Without an index the service answers at once: a held poll is no sign of life.
    this.#mayBeHeld = place.index !== undefined && settings.timeout > health.heldAfter;
  }

  begin(): void {
    const subscriber = this.#subscriber;
    subscriber.add(this.#of.interruptions.interruption$.subscribe(kind => this.#interrupt(kind)));
    subscriber.add(() => this.#stop());
    const { budget, retention, scheduler } = this.#settings;
    const now = instant(this.#settings);
    this.#reservation = budget?.(
      waitBeforeExpiry(this.#of.state.place, Infinity, now, retention, () => LAST_CHANCE_MS),
    );
    const wait = this.#reservation?.wait ?? 0;
    if (wait <= 0) return this.#askPermit();
    subscriber.next({ kind: 'waiting', until: now.monotonic + wait });
    subscriber.add(scheduler.schedule(() => this.#askPermit(), wait));
  }

  #askPermit(): void {
    const { permit } = this.#settings;
    if (!permit) return this.#send();
    let permitted$: ObservableInput<unknown>;
    try {
      permitted$ = permit();
    } catch (error) {
      return this.#fail(error);
    }
    if (permitted$ === EMPTY) return this.#send();
    const given$ = defer(() => permitted$).pipe(take(1), ignoreElements());
    this.#subscriber.add(
      given$.subscribe({ error: (error: unknown) => this.#fail(error), complete: () => this.#send() }),
    );
  }

  #send(): void {
    const { scheduler, timeout } = this.#settings;
    const { state, interruptions, watchId } = this.#of;
    const { askedAt, health, needsFreshConnection, place } = state;
    this.#askedAt = instant(this.#settings);
    // A wake may have come while nothing was on its way.
    const isFresh = needsFreshConnection || interruptions.wokenAt > askedAt.monotonic;
    const context = (this.#context = new Context(this.#settings, isFresh, watchId));
    this.#subscriber.next({ kind: 'sent' });
    try {
      this.#asking = this.#poll(place.index, context).subscribe({
        next: polled => this.#end({ kind: 'answer', arrivedAt: context.arrivedAt, ...polled }),
        error: (error: unknown) => this.#fail(error),
        complete: () => this.#end({ kind: 'nothing' }),
      });
    } catch (error) {
      this.#fail(error);
    }
    if (this.#isOver) return this.#asking?.unsubscribe();
    this.#timer = scheduler.schedule(
      function (this: SchedulerAction<SentPoll<A>>, sent) {
        sent.#onTime(this);
      },
      this.#mayBeHeld ? health.heldAfter : timeout,
      this,
    );
  }

  /** It has been held for a while, or for too long. What has begun to arrive may take as long as it flows. */
  #onTime(timer: SchedulerAction<SentPoll<A>>): void {
    const { arrivedAt, sentAt } = this.#context!;
    if (arrivedAt) return;
    if (!this.#mayBeHeld) return this.#end({ kind: 'timeout' });
    const { heldAfter } = this.#of.state.health;
    const { timeout } = this.#settings;
    this.#mayBeHeld = false;
    timer.schedule(this, timeout - heldAfter);
    // A poll that waits for its token is not held by the service.
    if (sentAt) this.#subscriber.next({ kind: 'held' });
  }

  #interrupt(kind: Interruption): void {
    if (kind === 'offline') return this.#subscriber.next({ kind });
    // A poll that has not been sent yet needs no abort: it gets a new connection anyway.
    if (kind === 'woken' && !this.#askedAt) return;
    const isYoung =
      this.#askedAt && instant(this.#settings).monotonic - this.#askedAt.monotonic < YOUNG_POLL_MS;
    if (kind !== 'woken' || !this.#context?.needsFreshConnection || !isYoung) this.#end({ kind });
  }

  #fail(error: unknown): void {
    const { sentAt, arrivedAt } = this.#context ?? {};
    const endedAt = arrivedAt ?? instant(this.#settings);
    const heldFor = sentAt ? endedAt.monotonic - sentAt.monotonic : 0;
    this.#end({ kind: 'failure', error, heldFor, hasArrived: arrivedAt !== undefined });
  }

  #end(event: WatchEvent<A>): void {
    if (this.#isOver) return;
    // Not once it has ended by itself.
    if (!ENDS.includes(event.kind)) this.#context?.abort();
    this.#isOver = true;
    this.#asking?.unsubscribe();
    this.#timer?.unsubscribe();
    this.#subscriber.next(event);
    this.#subscriber.complete();
  }

  #stop(): void {
    if (!this.#askedAt) this.#reservation?.cancel();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#context?.abort();
    this.#asking?.unsubscribe();
    this.#timer?.unsubscribe();
  }
}

/** How a poll ends by itself. */
const ENDS: readonly string[] = ['answer', 'nothing', 'failure'];

interface Aborting {
  readonly signal: PollSignal;
  abort(): void;
}

declare const AbortController: new () => Aborting;

/** What a poll gets to know, and what it reports. */
class Context implements SentPollContext {
  sentAt: Instant | undefined;
  arrivedAt: Instant | undefined;
  readonly onSent: () => void;
  readonly onArrival: () => void;
  #aborting: Aborting | undefined;
  #isAborted = false;

  constructor(
    clocks: Clocks,
    readonly needsFreshConnection: boolean,
    readonly pollOf: number,
  ) {
    this.onSent = () => (this.sentAt = instant(clocks));
    this.onArrival = () => (this.arrivedAt ??= instant(clocks));
  }

  /** On the prototype, so that neither a spread nor a poll that does not read it makes a controller. */
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
