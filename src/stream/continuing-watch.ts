import {
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  Observable,
  of,
  repeat,
  throwError,
  type ObservableInput,
  type Subscriber,
} from 'rxjs';
import { acknowledge } from './acknowledge.js';
import { instant } from './timing/index.js';
import type { Audience } from './feed/index.js';
import { Interruptions, openWatches } from './interruptions.js';
import type { SinglePoll } from './poll.js';
import { NOTHING } from './open-poll.js';
import { pollOnce } from './poll-once.js';
import {
  firstState,
  isDeliverable,
  movedPosition,
  transition,
  waitLeft,
  type Delivery,
  type Transition,
  type WatchEvent,
  type WatchState,
} from './transition/index.js';
import type { WatchSettings } from './watch-settings.js';
import type { SharedWatch, WatchSignal } from './watch-signal.js';

/** The number of watches of this process so far. */
let watchCount = 0;

/**
 * A watch with one subscriber at a time. Each subscription continues where the last one stopped, or
 * from the checkpoint that it is given. With an audience, the watch queues answers until they are
 * consumed, and polls only while the audience is active. With `resume: false`, it starts from now
 * whenever the audience returns.
 */
export function continuingWatch<A>(
  poll: SinglePoll<A>,
  settings: WatchSettings<A>,
  audience?: Audience<A>,
): (moved?: Pick<SharedWatch, 'from'>) => Observable<WatchSignal<A>> {
  const watch: ContinuingWatch<A> = { poll, settings, audience, watchId: ++watchCount, last: undefined };
  return moved =>
    new Observable(subscriber => {
      const now = instant(settings);
      const isReturning = watch.last !== undefined;
      const state = watch.last ?? firstState(now, settings.from, settings.retention);
      const position = moved && movedPosition(state.position, now, moved.from, settings.retention);
      new Loop(watch, position ? { ...state, position } : state, isReturning).run(subscriber);
    });
}

/** What stays of a watch between two subscriptions. */
interface ContinuingWatch<A> {
  readonly poll: SinglePoll<A>;
  readonly settings: WatchSettings<A>;
  readonly audience: Audience<A> | undefined;
  readonly watchId: number;
  /** The last committed state. `undefined` before the first commit. */
  last: WatchState | undefined;
}

/** The loop: polls, performs the transitions that follow, rests, and polls again. */
class Loop<A> {
  readonly #watch: ContinuingWatch<A>;
  readonly #interruptions: Interruptions;
  #state: WatchState;
  #isEnded = false;

  constructor(watch: ContinuingWatch<A>, state: WatchState, isReturning: boolean) {
    this.#watch = watch;
    this.#state = state;
    this.#interruptions = new Interruptions(watch.settings, isReturning);
  }

  run(subscriber: Subscriber<WatchSignal<A>>): void {
    if (!this.#interruptions.isPending)
      subscriber.next(this.#logged({ kind: 'status', status: this.#state.health.status }));
    // The subscriber may have left already. Then nothing is sent.
    if (subscriber.closed) return;
    this.#interruptions.begin(subscriber, this.#watch.audience?.isActive$);
    defer(() => this.#turn$())
      // `repeat` completes if its delay completes without a value, at the end of the watch.
      .pipe(repeat({ delay: () => this.#rest() }))
      .subscribe(subscriber);
  }

  /**
   * Deals with the interruptions that are pending. If there are none, or after a return, it polls.
   * Emits what the transitions lead to.
   */
  #turn$(): Observable<WatchSignal<A>> {
    const kinds = this.#interruptions.take();
    if (!this.#interruptions.isActive) return from(this.#performAfter({ kind: 'left' }));
    if (kinds.length === 0) return this.#poll$();
    // After a return, the watch polls in the same tick, so that it misses nothing from now on.
    const mayPoll = () =>
      kinds.includes('returned') && this.#interruptions.isActive && this.#waitLeft() === 0;
    return concat(
      ...kinds.map(kind => defer(() => this.#performAfter({ kind }))),
      defer(() => (mayPoll() ? this.#poll$() : EMPTY)),
    );
  }

  /** Polls. Each event of the poll leads to a transition, which is performed. */
  #poll$(): Observable<WatchSignal<A>> {
    return pollOnce(
      this.#watch,
      () => this.#state,
      this.#interruptions,
      event => this.#performAfter(event),
    );
  }

  /** Performs the transition that follows from an event. */
  #performAfter(event: WatchEvent<A>): ObservableInput<WatchSignal<A>> {
    const { settings } = this.#watch;
    const moment = { now: instant(settings), openWatches: openWatches(settings.scheduler) };
    return this.#perform(transition(this.#state, event, moment, settings));
  }

  /**
   * Delivers the answer of a transition, waits until the answer has been consumed and acknowledged,
   * and commits the state of the transition.
   */
  #perform(next: Transition<A>): ObservableInput<WatchSignal<A>> {
    const { delivery, end } = next;
    const signals = next.signals.map(signal => this.#logged(signal));
    if (delivery) {
      const delivered$ = this.#delivered(next, delivery);
      return signals.length > 0 ? concat(signals, delivered$) : delivered$;
    }
    // A subscriber that leaves with one of the signals continues from this state.
    this.#commit(next);
    if (signals.length === 0 && !end) return this.#ended(next);
    const error$ = end?.kind === 'error' ? throwError(() => end.error) : EMPTY;
    return concat(
      signals,
      defer(() => this.#ended(next)),
      error$,
    );
  }

  #delivered(next: Transition<A>, { signals, ...delivery }: Delivery<A>): Observable<WatchSignal<A>> {
    const { audience, settings } = this.#watch;
    const isExpired = () =>
      (!this.#interruptions.isActive && !settings.resume) ||
      !isDeliverable(next.state.position, instant(settings), settings.retention);
    const part$ = audience ? audience.deliver(signals, isExpired) : of(...signals, 'taken' as const);
    return part$.pipe(
      concatMap(part => {
        if (part === 'expired') return this.#performAfter({ kind: 'expired' });
        if (part === 'taken') return this.#acknowledged(next, delivery);
        return [this.#logged(part)];
      }),
    );
  }

  #acknowledged(
    acknowledging: Transition<A>,
    { answer, checkpoint, gap, isClosed }: Omit<Delivery<A>, 'signals'>,
  ): ObservableInput<WatchSignal<A>> {
    const { ack, scheduler } = this.#watch.settings;
    const acknowledged = () => {
      if (isClosed) return this.#close(acknowledging);
      this.#commit(acknowledging);
      return this.#ended(acknowledging);
    };
    if (!ack) return acknowledged();
    const { status } = acknowledging.state.health;
    return acknowledge(() => ack(answer, checkpoint, gap), status, scheduler).pipe(
      concatMap(result => {
        if (result.kind === 'status') return [this.#logged(result)];
        if (result.kind === 'acknowledged') return acknowledged();
        return this.#performAfter({ acknowledging, ...result });
      }),
    );
  }

  /** The service has said that nothing comes after this answer. */
  #close(acknowledging: Transition<A>): ObservableInput<WatchSignal<A>> {
    return this.#performAfter({ kind: 'decided', decision: { watch: 'end' }, acknowledging });
  }

  #commit({ state, end, retryAfter }: Transition<A>): void {
    this.#state = state;
    this.#watch.last = state;
    this.#isEnded = end !== undefined;
    if (retryAfter !== undefined) this.#watch.settings.quota?.pause(retryAfter);
  }

  /** Logs the end of a poll, if it is over. */
  #ended({ state, why, end }: Transition<A>): typeof NOTHING {
    if (!why) return NOTHING;
    const { settings, watchId } = this.#watch;
    const { attempt, error } = state.health.status;
    const wait = end ? 0 : this.#waitLeft();
    settings.log({ kind: 'poll_end', at: settings.scheduler.now(), watchId, why, wait, attempt, error });
    return NOTHING;
  }

  /** Logs a signal that is about to be emitted, if it is a gap or a status. */
  #logged<S extends WatchSignal<A>>(signal: S): S {
    const { settings, watchId } = this.#watch;
    const at = settings.scheduler.now();
    if (signal.kind === 'status') settings.log({ kind: 'status', at, watchId, status: signal.status });
    if (signal.kind === 'gap') {
      const { reason, index } = signal.gap;
      settings.log({ kind: 'gap', at, watchId, reason, index });
    }
    return signal;
  }

  #waitLeft(): number {
    return waitLeft(this.#state.pace, this.#watch.settings.monotonic.now());
  }

  /**
   * Emits when the next poll is due, or when something has to be dealt with before it. Completes if
   * there is no next poll.
   */
  #rest(): Observable<unknown> {
    if (this.#isEnded) return EMPTY;
    const { earliest, until } = this.#state.pace.rest;
    return this.#interruptions.rest(this.#waitLeft(), earliest < until);
  }
}
