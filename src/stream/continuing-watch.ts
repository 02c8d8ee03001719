import {
  concat,
  concatMap,
  defer,
  EMPTY,
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

/** The loop: polls, finds the transition, performs it, rests, and polls again. */
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
      subscriber.next({ kind: 'status', status: this.#state.health.status });
    // The subscriber may have left already. Then nothing is sent.
    if (subscriber.closed) return;
    this.#interruptions.begin(subscriber, this.#watch.audience?.isActive$);
    defer(() => this.#event$())
      .pipe(
        concatMap(event => this.#perform(this.#transitionAfter(event))),
        // `repeat` completes if its delay completes without a value, at the end of the watch.
        repeat({ delay: () => this.#rest() }),
      )
      .subscribe(subscriber);
  }

  /**
   * Emits the interruptions that are pending. If there are none, or after a return, it polls: it
   * emits `sent`, perhaps `held`, then how the poll ended. Each event leads to a transition.
   */
  #event$(): Observable<WatchEvent<A>> {
    const kinds = this.#interruptions.take();
    if (!this.#interruptions.isActive) return of({ kind: 'left' });
    if (kinds.length === 0) return this.#poll$();
    // After a return, the watch polls in the same tick, so that it misses nothing from now on.
    const mayPoll = () =>
      kinds.includes('returned') && this.#interruptions.isActive && this.#waitLeft() === 0;
    return concat(
      kinds.map(kind => ({ kind })),
      defer(() => (mayPoll() ? this.#poll$() : EMPTY)),
    );
  }

  #poll$(): Observable<WatchEvent<A>> {
    return pollOnce(this.#watch, () => this.#state, this.#interruptions);
  }

  #transitionAfter(event: WatchEvent<A>): Transition<A> {
    const { settings } = this.#watch;
    this.#interruptions.settle(event.kind);
    const moment = { now: instant(settings), openWatches: openWatches(settings.scheduler) };
    return transition(this.#state, event, moment, settings);
  }

  /**
   * Delivers the answer of a transition, waits until the answer has been consumed and acknowledged,
   * and commits the state of the transition.
   */
  #perform(next: Transition<A>): ObservableInput<WatchSignal<A>> {
    const { delivery, end, signals } = next;
    if (delivery) {
      const delivered$ = this.#delivered(next, delivery);
      return signals.length > 0 ? concat(signals, delivered$) : delivered$;
    }
    // The state is set before the signals are emitted. A subscriber that leaves with one of them
    // continues from this state.
    this.#state = next.state;
    this.#watch.last = next.state;
    if (signals.length === 0 && !end) return this.#commit(next);
    const error$ = end?.kind === 'error' ? throwError(() => end.error) : EMPTY;
    return concat(
      signals,
      defer(() => this.#commit(next)),
      error$,
    );
  }

  #delivered(next: Transition<A>, { signals, ...delivery }: Delivery<A>): Observable<WatchSignal<A>> {
    const { audience, settings, watchId } = this.#watch;
    const isExpired = () =>
      (!this.#interruptions.isActive && !settings.resume) ||
      !isDeliverable(next.state.position, instant(settings), settings.retention);
    const part$ = audience ? audience.deliver(signals, isExpired) : of(...signals, 'taken' as const);
    return part$.pipe(
      concatMap(part => {
        if (part === 'expired') return this.#perform(this.#transitionAfter({ kind: 'expired' }));
        if (part === 'taken') return this.#acknowledged(next, delivery);
        if (part.kind !== 'gap') return [part];
        const { reason, index } = part.gap;
        settings.log({ kind: 'gap', at: settings.scheduler.now(), watchId, reason, index });
        return [part];
      }),
    );
  }

  #acknowledged(
    acknowledging: Transition<A>,
    { answer, checkpoint, gap, isClosed }: Omit<Delivery<A>, 'signals'>,
  ): ObservableInput<WatchSignal<A>> {
    const { ack, scheduler } = this.#watch.settings;
    const commit = () => (isClosed ? this.#close(acknowledging) : this.#commit(acknowledging));
    if (!ack) return commit();
    const { status } = acknowledging.state.health;
    return acknowledge(() => ack(answer, checkpoint, gap), status, scheduler).pipe(
      concatMap(result => {
        if (result.kind === 'status') return [result];
        if (result.kind === 'acknowledged') return commit();
        return this.#perform(this.#transitionAfter({ acknowledging, ...result }));
      }),
    );
  }

  #close(acknowledging: Transition<A>): ObservableInput<WatchSignal<A>> {
    const decision = { watch: 'end' } as const;
    return this.#perform(this.#transitionAfter({ kind: 'decided', decision, acknowledging }));
  }

  #commit({ state, why, end, retryAfter }: Transition<A>): readonly never[] {
    const { settings, watchId } = this.#watch;
    this.#state = state;
    this.#watch.last = state;
    this.#isEnded = end !== undefined;
    if (retryAfter !== undefined) settings.quota?.pause(retryAfter);
    const { attempt, error } = state.health.status;
    const wait = end ? 0 : this.#waitLeft();
    if (!why) return [];
    settings.log({ kind: 'poll_end', at: settings.scheduler.now(), watchId, why, wait, attempt, error });
    return [];
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
