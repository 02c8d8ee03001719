import {
  asapScheduler,
  catchError,
  concat,
  EMPTY,
  ignoreElements,
  Observable,
  of,
  repeat,
  Subscription,
  type Subscriber,
} from 'rxjs';
import type { Recovery } from '../../error/index.js';
import { acknowledge, deliver, untilPresent, type Audience } from './audience.js';
import { changeStatusOfHeld } from './change-status.js';
import { nextTurn } from './next-turn.js';
import { pollOnce, whenPermitted, type Poller } from './poll-once.js';
import { restLeft, SOON_IN_A_ROW } from './poll-pace.js';
import type { Poll, WatchSettings } from './watch-config.js';
import { instant, isRealTime } from './watch-index.js';
import { WatchLog } from './watch-log.js';
import type { WatchMemory } from './watch-memory.js';
import { followWakes } from './wakes.js';
import type { WatchSignal } from './watch-signal.js';
import { firstState, unacknowledged, type Ending, type Turn, type WatchState } from './watch-turn.js';

/** When a network comes back, all clients wake at once. Their polls are spread over at least this time, in ms. */
const MIN_SPREAD = 1_000;

/** A process with many watches takes this long to send one poll, in ms. */
const SPREAD_PER_WATCH = 1;

/** The number of watches of this process that are subscribed to. */
let openWatches = 0;

/** Who gets the signals of one turn, and its end. */
type Turning<A> = Subscriber<WatchSignal<A>>;

/** What connects the subscriptions of a watch that follow each other, such as those of a feed. */
export interface WatchContinuity<A> {
  readonly memory: WatchMemory<A>;
  /** Where the last subscription stopped. The next one continues from there. */
  place?: WatchState | undefined;
  /** Absent if each subscriber is an audience. */
  readonly audience?: Audience<A>;
}

/** Like `watchSignals`, but continues from where the last subscription with the same `continuity` stopped. */
export function continuedSignals<A>(
  poll: Poll<A>,
  settings: WatchSettings<A>,
  continuity: WatchContinuity<A>,
): Observable<WatchSignal<A>> {
  return new Observable(subscriber => new WatchRun(poll, settings, continuity).start(subscriber));
}

/**
 * One subscription to a watch. It is a class because there may be many thousands of them: methods are shared, closures are not.
 */
class WatchRun<A> implements Poller<A, Turning<A>> {
  readonly #poll: Poll<A>;
  readonly #settings: WatchSettings<A>;
  readonly #continuity: WatchContinuity<A>;
  readonly #log: WatchLog;
  #state: WatchState;
  #hasEnded = false;
  /** A wait was cut short by a wake. */
  #isWoken = false;
  /** There was a wake since the last poll was sent. */
  #hasWoken = false;
  /** How many times the next poll was due at once. */
  #soon = 0;
  interrupt: (() => void) | undefined;

  constructor(poll: Poll<A>, settings: WatchSettings<A>, continuity: WatchContinuity<A>) {
    this.#poll = poll;
    this.#settings = settings;
    this.#continuity = continuity;
    this.#log = new WatchLog(settings);
    this.#state = firstState(settings.from, instant(settings), continuity.place);
  }

  start(subscriber: Subscriber<WatchSignal<A>>): void {
    openWatches++;
    subscriber.add(() => openWatches--);
    subscriber.next({ kind: 'status', status: this.#state.status });
    // Whoever leaves at once sends nothing.
    if (!subscriber.closed) this.#run(subscriber);
  }

  #run(subscriber: Subscriber<WatchSignal<A>>): void {
    const rest$ = new Observable<void>(resting => this.#rest(resting));
    const polls$ = new Observable<WatchSignal<A>>(turning => this.#takeTurn(turning)).pipe(
      repeat({ delay: () => (this.#hasEnded ? EMPTY : rest$) }),
    );
    // The first poll is sent at once, unless an earlier subscription has polled in vain just before.
    const mustRest = this.#state.rest.wait > 0;
    (mustRest ? concat(rest$.pipe(ignoreElements()), polls$) : polls$).subscribe(subscriber);
    if (subscriber.closed) return;
    const onWake = () => {
      // Also if nothing can be aborted or shortened at the moment: connections may be dead all the same.
      this.#hasWoken = true;
      this.interrupt?.();
    };
    subscriber.add(followWakes(this.#settings, onWake));
  }

  /** Emits when the next poll is due, or at a wake that may bring it forward. */
  #rest(resting: Subscriber<void>): void {
    const { scheduler } = this.#settings;
    // Some of it may have passed, if the answer took long to acknowledge.
    const { wait, least } = restLeft(this.#state.rest, scheduler.now());
    const isDue = () => {
      resting.next();
      resting.complete();
    };
    // Even a timer of 0 ms takes longer than the next event may take to come. But timers and the network must get a turn, too.
    const isSoon = wait === 0 && isRealTime(scheduler) && ++this.#soon % SOON_IN_A_ROW !== 0;
    resting.add((isSoon ? asapScheduler : scheduler).schedule(isDue, wait));
    if (least >= wait) return;
    this.interrupt = () => {
      if (resting.closed) return;
      this.#isWoken = true;
      isDue();
    };
  }

  /** Waits until a poll is permitted, polls once, and emits what follows from it. */
  #takeTurn(turning: Turning<A>): void {
    if (this.#isWoken) {
      this.#isWoken = false;
      return this.ended({ kind: 'woken', askedAt: instant(this.#settings) }, turning);
    }
    whenPermitted(this.#settings, this, turning, () => {
      const { index, needsFreshConnection } = this.#state;
      const start = { index, needsFreshConnection: needsFreshConnection || this.#hasWoken };
      this.#hasWoken = false;
      pollOnce(this.#poll, start, this.#settings, instant(this.#settings), this, turning);
    });
  }

  held(turning: Turning<A>): void {
    const held = changeStatusOfHeld(this.#state, this.#settings.scheduler.now());
    if (!held) return;
    this.#keep({ ...this.#state, status: held.status });
    for (const signal of held.signals) turning.next(signal);
  }

  ended(ending: Ending<A>, turning: Turning<A>): void {
    const perform = () => {
      try {
        this.#perform(this.#turnAfter(ending), turning);
      } catch (error) {
        // A clock threw. RxJS would report it as uncaught, and the watch would stand still.
        turning.error(error);
      }
    };
    const { audience } = this.#continuity;
    if (ending.kind !== 'answer' || !audience || audience.isPresent$.value) perform();
    else turning.add(untilPresent(audience).subscribe({ complete: perform }));
  }

  /** Emits what a turn has to tell, and commits it when that has been taken and acknowledged. */
  #perform(next: Turn<A>, turning: Turning<A>): void {
    for (const signal of next.signals) {
      this.#log.signal(signal);
      turning.next(signal);
      // Whoever unsubscribes leaves the rest undone.
      if (turning.closed) return;
    }
    const { delivery } = next;
    if (!delivery) return this.#commit(next, turning);
    const { answer, isNews, checkpoint, gap } = delivery;
    const { memory, audience } = this.#continuity;
    const { ack } = this.#settings;
    if (gap) this.#keep({ ...this.#state, toldGap: gap });
    const complete = () => (ack ? this.#acknowledge(next, turning) : this.#commit(next, turning));
    if (isNews && audience) {
      const delivering = new Subscription();
      turning.add(delivering);
      deliver(answer, audience, delivering, {
        next: (part, isLast) => turning.next({ kind: 'answer', answer: part, ...(isLast && { checkpoint }) }),
        complete,
        left: count => {
          // With `ack`, the whole answer has to come again: it is not only delivered, but acknowledged as a whole.
          if (!ack) memory.commitParts?.(answer, count);
        },
      });
      return;
    }
    turning.next(isNews ? { kind: 'answer', answer, checkpoint } : { kind: 'idle', checkpoint });
    if (!turning.closed) complete();
  }

  #acknowledge(next: Turn<A>, turning: Turning<A>): void {
    const acknowledged$ = acknowledge(next, this.#settings).pipe(
      // Emitted, but not committed: the failure is handled as a new outcome, from the state before the answer.
      catchError((error: unknown) => of(this.#turnAfter(unacknowledged(next, error)))),
    );
    const proceed = (last: WatchSignal<never> | Turn<A>) => {
      if ('kind' in last) turning.next(last);
      else if (last.why === 'ack') this.#perform(last, turning);
      else this.#commit(last, turning);
    };
    turning.add(acknowledged$.subscribe(proceed));
  }

  #commit(next: Turn<A>, turning: Turning<A>): void {
    try {
      if (next.delivery?.isRemembered) this.#continuity.memory.commit(next.delivery.arrived);
    } catch (error) {
      // `keyOf` threw.
      return turning.error(error);
    }
    this.#keep(next.state);
    this.#hasEnded = next.end !== undefined;
    this.#log.turn(next);
    if (next.end && 'error' in next.end) turning.error(next.end.error);
    else turning.complete();
  }

  #keep(state: WatchState): void {
    this.#state = state;
    this.#continuity.place = state;
  }

  /** The turn that follows from how a poll ended. */
  #turnAfter(ending: Ending<A>): Turn<A> {
    const settings = this.#settings;
    const spread = Math.max(MIN_SPREAD, openWatches * SPREAD_PER_WATCH);
    const moment = { now: instant(settings), spread };
    const laws = { ...settings, memory: this.#continuity.memory };
    const state = this.#state;
    try {
      return nextTurn(state, { ...ending, ...moment, chance: settings.random() }, laws);
    } catch (error) {
      // A callback of the config threw. That is a bug, which polling again cannot fix.
      const { askedAt } = ending;
      const final = { ...laws, recovery: (): Recovery => ({ kind: 'end' }) };
      return nextTurn(state, { kind: 'failure', error, askedAt, ...moment, chance: 0 }, final);
    }
  }
}
