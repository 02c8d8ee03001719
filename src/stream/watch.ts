import {
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  map,
  Observable,
  of,
  repeat,
  take,
  throwError,
  type ObservableInput,
  type Subscriber,
} from 'rxjs';
import { acknowledge } from './acknowledge.js';
import { instant } from './clocks.js';
import type { Audience } from './audience.js';
import { Interruptions, openWatches } from './interruptions.js';
import type { Poll, SinglePoll } from './poll.js';
import { pollOnce } from './poll-once.js';
import {
  firstState,
  isTakable,
  movedPlace,
  nextTurn,
  waitLeft,
  type Delivery,
  type Turn,
  type WatchEvent,
  type WatchState,
} from './turn/index.js';
import {
  watchSettings,
  type Indexed,
  type IndexingConfig,
  type WatchConfig,
  type WatchSettings,
} from './watch-config.js';
import { answers, type Checkpoint, type WatchSignal } from './watch-signal.js';

/**
 * Follows a service by long polling. Emits each answer with news. Each poll sends the index of the last answer; after
 * failures and answers without news it waits before the next poll.
 *
 * Cold: each subscription is a separate watch with at most one poll in flight; unsubscribing aborts it. It completes only if
 * `ack` decides so, and ends only with an error that polling again cannot fix. {@link watchSignals} also emits gaps and status.
 *
 * An answer does not wait for the subscriber: use `ack` for work that the next poll should wait for.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch(index => client.request(changes, { group_id, ...(index && { watch_index: index }) })).subscribe(show);
 */
export function watch<A>(poll: Poll<A>, config: IndexingConfig<A>): Observable<A>;
export function watch<A extends Indexed>(poll: Poll<A>, config?: WatchConfig<A>): Observable<A>;
export function watch<A>(poll: Poll<A>, config?: WatchConfig<A>): Observable<A> {
  return watchSignals(poll, config as IndexingConfig<A>).pipe(answers());
}

/**
 * Follows a service by long polling. Emits everything that happens, in order: answers with news, gaps, and changes of status.
 * Cold: each subscription is a separate watch with its own index and at most one poll in flight.
 *
 * It completes only if `ack` decides so, and ends only with an error that `recovery` declares final. {@link watch} emits only the answers.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watchSignals(index => ajax.getJSON(`/changes?since=${index ?? ''}`)).subscribe(signal => {
 *   if (signal.kind === 'gap') reload();
 * });
 */
export function watchSignals<A>(poll: Poll<A>, config: IndexingConfig<A>): Observable<WatchSignal<A>>;
export function watchSignals<A extends Indexed>(
  poll: Poll<A>,
  config?: WatchConfig<A>,
): Observable<WatchSignal<A>>;
export function watchSignals<A>(poll: Poll<A>, config: WatchConfig<A> = {}): Observable<WatchSignal<A>> {
  // `take(1)` here: a source that emits synchronously without end must be stopped while it emits.
  const polled: SinglePoll<A> = (index, context) => {
    context.onSent();
    return from(poll(index, context)).pipe(
      take(1),
      map(answer => ({ answer })),
    );
  };
  const settings = watchSettings(config);
  return defer(() => continuingWatch(polled, settings)());
}

/** The number of watches of this process so far. */
let watchCount = 0;

/**
 * A watch with one subscriber at a time. Each subscription continues where the last one stopped, or from the position it gets. With
 * an audience, answers are held until they are taken, and it polls only while that is active; with `resume: false` from now.
 */
export function continuingWatch<A>(
  poll: SinglePoll<A>,
  settings: WatchSettings<A>,
  audience?: Audience<A>,
): (position?: { readonly from?: Checkpoint }) => Observable<WatchSignal<A>> {
  const watch: ContinuingWatch<A> = { poll, settings, audience, watchId: ++watchCount, last: undefined };
  return position =>
    new Observable(subscriber => {
      const now = instant(settings);
      const state = watch.last ?? firstState(now, settings.from, settings.retention);
      const place = position && movedPlace(state.place, now, position.from, settings.retention);
      new Loop(watch, place ? { ...state, place } : state).run(subscriber);
    });
}

/** What stays of a watch between two subscriptions. */
interface ContinuingWatch<A> {
  readonly poll: SinglePoll<A>;
  readonly settings: WatchSettings<A>;
  readonly audience: Audience<A> | undefined;
  readonly watchId: number;
  /** The last committed state. */
  last: WatchState | undefined;
}

/** The loop: polls, turns to the next state, performs that, rests, and polls again. */
class Loop<A> {
  readonly #watch: ContinuingWatch<A>;
  readonly #interruptions: Interruptions;
  #state: WatchState;
  #isEnded = false;

  constructor(watch: ContinuingWatch<A>, state: WatchState) {
    [this.#watch, this.#state] = [watch, state];
    this.#interruptions = new Interruptions(watch.settings, watch.last !== undefined);
  }

  run(subscriber: Subscriber<WatchSignal<A>>): void {
    if (!this.#interruptions.isPending)
      subscriber.next({ kind: 'status', status: this.#state.health.status });
    // If the subscriber has left already, nothing is sent.
    if (subscriber.closed) return;
    this.#interruptions.begin(subscriber, this.#watch.audience?.isActive$);
    defer(() => this.#event$())
      .pipe(
        concatMap(event => this.#perform(this.#turnAfter(event))),
        repeat({ delay: () => this.#rest() }),
      )
      .subscribe(subscriber);
  }

  /** Emits `sent`, perhaps `held`, then how the poll ended; or what has to be dealt with before it. Each of them leads to a turn. */
  #event$(): Observable<WatchEvent<A>> {
    const kinds = this.#interruptions.take();
    if (!this.#interruptions.isActive) return of({ kind: 'left' });
    if (kinds.length === 0) return this.#poll$();
    // After a return it polls in the same tick: what happens from now on must not be missed.
    const mayPoll = () =>
      kinds.includes('returned') && this.#interruptions.isActive && this.#waitLeft() === 0;
    return concat(
      kinds.map(kind => ({ kind })),
      defer(() => (mayPoll() ? this.#poll$() : EMPTY)),
    );
  }

  #poll$(): Observable<WatchEvent<A>> {
    const { poll, settings, watchId } = this.#watch;
    return pollOnce(poll, settings, { watchId, state: this.#state, interruptions: this.#interruptions });
  }

  #turnAfter(event: WatchEvent<A>): Turn<A> {
    const { settings } = this.#watch;
    this.#interruptions.settle(event.kind);
    return nextTurn(this.#state, event, { now: instant(settings), openWatches }, settings);
  }

  /** Delivers the answer of a turn, waits until that has been taken and acknowledged, and commits the state of the turn. */
  #perform(turn: Turn<A>): ObservableInput<WatchSignal<A>> {
    const { delivery, end, signals } = turn;
    if (delivery) {
      const delivered$ = this.#delivered(turn, delivery);
      return signals.length > 0 ? concat(signals, delivered$) : delivered$;
    }
    // Before its signals: a subscriber that leaves with one of them continues from there.
    this.#watch.last = this.#state = turn.state;
    if (signals.length === 0 && !end) return this.#commit(turn);
    const error$ = end && 'error' in end ? throwError(() => end.error) : EMPTY;
    return concat(
      signals,
      defer(() => this.#commit(turn)),
      error$,
    );
  }

  #delivered(turn: Turn<A>, { signals, ...delivery }: Delivery<A>): Observable<WatchSignal<A>> {
    const { audience, settings, watchId } = this.#watch;
    const isExpired = () =>
      (!this.#interruptions.isActive && !settings.resume) ||
      !isTakable(turn.state.place, instant(settings), settings.retention);
    const part$ = audience ? audience.deliver(signals, isExpired) : of(...signals, 'taken' as const);
    return part$.pipe(
      concatMap(part => {
        if (part === 'expired') return this.#perform(this.#turnAfter({ kind: 'expired' }));
        if (part === 'taken') return this.#acknowledged(turn, delivery);
        if (part.kind !== 'gap') return [part];
        const { reason, index } = part.gap;
        settings.log({ kind: 'gap', at: settings.scheduler.now(), watchId, reason, index });
        return [part];
      }),
    );
  }

  #acknowledged(
    after: Turn<A>,
    { answer, checkpoint, gap }: Omit<Delivery<A>, 'signals'>,
  ): ObservableInput<WatchSignal<A>> {
    const { ack, scheduler } = this.#watch.settings;
    if (!ack) return this.#commit(after);
    const { status } = after.state.health;
    return acknowledge(() => ack(answer, checkpoint, gap), status, scheduler).pipe(
      concatMap(result => {
        if (result.kind === 'status') return [result];
        if (result.kind === 'acknowledged') return this.#commit(after);
        return this.#perform(this.#turnAfter({ after, ...result }));
      }),
    );
  }

  #commit({ state, why, end }: Turn<A>): readonly never[] {
    const { settings, watchId } = this.#watch;
    this.#watch.last = this.#state = state;
    this.#isEnded = end !== undefined;
    const { attempt, error } = state.health.status;
    const wait = end ? 0 : this.#waitLeft();
    if (why) settings.log({ kind: 'turn', at: settings.scheduler.now(), watchId, why, wait, attempt, error });
    return [];
  }

  #waitLeft(): number {
    return waitLeft(this.#state.pace, this.#watch.settings.monotonic.now());
  }

  /** Emits when the next poll is due, or something has to be dealt with before it. Completes if there is no next poll. */
  #rest(): Observable<unknown> {
    if (this.#isEnded) return EMPTY;
    const { earliest, until } = this.#state.pace.rest;
    return this.#interruptions.rest(this.#waitLeft(), earliest < until);
  }
}
