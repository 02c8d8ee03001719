import {
  asapScheduler,
  concat,
  concatMap,
  defer,
  EMPTY,
  filter,
  from,
  map,
  merge,
  NEVER,
  Observable,
  of,
  repeat,
  Subject,
  take,
  tap,
  throwError,
  timer,
  type ObservableInput,
  type Subscription,
} from 'rxjs';
import { instant, isRealTime } from './clocks.js';
import { acknowledge } from './acknowledge.js';
import type { Audience } from './held-while.js';
import { isUsable } from './gap.js';
import { nextTurn } from './next-turn.js';
import { pollOnce, type Interruption } from './poll-once.js';
import {
  watchSettings,
  type Indexed,
  type IndexingConfig,
  type Poll,
  type SinglePoll,
  type WatchConfig,
  type WatchSettings,
} from './watch-config.js';
import { answers, type Checkpoint, type WatchSignal } from './watch-signal.js';
import {
  firstState,
  movedState,
  type Delivery,
  type WatchEvent,
  type Turn,
  type WatchState,
} from './watch-state.js';

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
  const polled: SinglePoll<A> = (index, context) =>
    from(poll(index, context)).pipe(
      take(1),
      map(answer => ({ answer })),
    );
  const settings = watchSettings(config);
  return defer(() => continuingWatch(polled, settings)());
}

/** So many polls may follow each other without a turn for timers and the network. */
const SOON_IN_A_ROW = 32;

/** The number of watches of this process that are subscribed to, and not paused; and of all so far. */
let [openWatches, watchCount] = [0, 0];

/**
 * A watch with one subscriber at a time. Each subscription continues where the last one stopped, or from the position it gets. With
 * an audience, answers are held until they are taken, and it polls only while that is active; with `resume: false` from now.
 */
export function continuingWatch<A>(
  poll: SinglePoll<A>,
  settings: WatchSettings<A>,
  audience?: Audience<A>,
): (position?: { readonly from?: Checkpoint }) => Observable<WatchSignal<A>> {
  const { scheduler, monotonic, retention, ack, log } = settings;
  const watchId = ++watchCount;
  /** The last committed state, for the next subscription. A feed has one subscription, which is paused, until its watch ends. */
  let place: WatchState | undefined;

  return position =>
    new Observable(subscriber => {
      let state = place ?? firstState(instant(settings), settings.from, retention);
      if (position) state = movedState(state, instant(settings), position.from, retention);
      const interruption$ = new Subject<Interruption>();
      let pending: Interruption | undefined = place && 'returned';
      let isActive = true;
      /** A poll that follows one from before this time needs a new connection. */
      let wokenAt = -Infinity;
      let soon = 0;
      let isEnded = false;

      const turnAfter = (event: WatchEvent<A>): Turn<A> =>
        nextTurn(state, event, { now: instant(settings), openWatches }, settings);

      /** Delivers the answer of a turn, waits until that has been taken and acknowledged, and commits the state of the turn. */
      const perform = (turn: Turn<A>): ObservableInput<WatchSignal<A>> => {
        const { delivery, end, signals } = turn;
        if (delivery && signals.length > 0) return concat(signals, delivered(turn, delivery));
        if (delivery) return delivered(turn, delivery);
        // Before its signals: a subscriber that leaves with one of them continues from there.
        place = state = turn.state;
        if (signals.length === 0 && !end) return commit(turn);
        const commit$ = defer(() => commit(turn));
        return end && 'error' in end
          ? concat(
              signals,
              commit$,
              throwError(() => end.error),
            )
          : concat(signals, commit$);
      };

      const delivered = (turn: Turn<A>, delivery: Delivery<A>) => {
        const isExpired = () =>
          (!isActive && !settings.resume) || !isUsable(turn.state, instant(settings), retention);
        const { signals } = delivery;
        const part$ = audience ? audience.deliver(signals, isExpired) : of(...signals, 'taken' as const);
        return part$.pipe(
          concatMap(part => {
            if (part === 'expired') return perform(turnAfter({ kind: 'expired' }));
            if (part === 'taken') return acknowledged(turn, delivery);
            if (part.kind !== 'gap') return [part];
            const { reason, index } = part.gap;
            log({ kind: 'gap', at: scheduler.now(), watchId, reason, index });
            return [part];
          }),
        );
      };

      const acknowledged = (after: Turn<A>, { answer, checkpoint, gap }: Delivery<A>) => {
        if (!ack) return commit(after);
        return acknowledge(() => ack(answer, checkpoint, gap), after.state.status, scheduler).pipe(
          concatMap(result => {
            if (result.kind === 'status') return [result];
            return result.kind === 'acknowledged' ? commit(after) : perform(turnAfter({ after, ...result }));
          }),
        );
      };

      const commit = ({ state: next, why, end }: Turn<A>): readonly never[] => {
        place = state = next;
        isEnded = end !== undefined;
        const { attempt, error } = state.status;
        const wait = end ? 0 : waitLeft();
        if (why) log({ kind: 'turn', at: scheduler.now(), watchId, why, wait, attempt, error });
        return [];
      };
      const waitLeft = () => Math.max(0, state.rest.until - monotonic.now());

      /** Emits when the next poll is due, or something has to be dealt with before it. Completes if there is no next poll. */
      const rest = (): Observable<unknown> => {
        if (isEnded) return EMPTY;
        const wait = pending ? 0 : waitLeft();
        // Even a timer of 0 ms takes longer than the next event may take to come. But timers and the network must get a turn, too.
        const isSoon = wait === 0 && isActive && isRealTime(scheduler) && ++soon % SOON_IN_A_ROW !== 0;
        if (isSoon) return timer(0, asapScheduler);
        const isWakeable = wait > 0 && isActive && state.rest.earliest < state.rest.until;
        const early$ = interruption$.pipe(
          filter(kind => kind !== 'woken' || isWakeable),
          tap(kind => (pending = kind)),
        );
        return merge(isActive ? timer(wait, scheduler) : NEVER, early$).pipe(take(1));
      };

      /** Emits `sent`, perhaps `held`, then how the poll ended. Each of them leads to a turn. */
      const polled = () => pollOnce(poll, state, settings, interruption$, () => wokenAt, watchId);
      const event$ = defer(() => {
        const kind = pending;
        pending = undefined;
        if (!isActive) return of({ kind: 'left' as const });
        if (!kind) return polled();
        // After a return it polls in the same tick: what happens from now on must not be missed.
        const again = () => (kind === 'returned' && isActive && waitLeft() === 0 ? polled() : EMPTY);
        return concat(of({ kind }), defer(again));
      });

      let wakes: Subscription | undefined;
      const followWakes = (isFollowing: boolean) => {
        if (wakes) openWatches--;
        wakes?.unsubscribe();
        wakes = undefined;
        if (!isFollowing) return;
        openWatches++;
        const next = () => {
          wokenAt = monotonic.now();
          interruption$.next('woken');
        };
        // A wake source that fails does not end the watch.
        wakes = defer(() => settings.wake$).subscribe({ next, error: () => undefined });
      };
      const setActive = (isNowActive: boolean) => {
        followWakes(isNowActive);
        if (isNowActive === isActive) return;
        isActive = isNowActive;
        // Even if this is during an acknowledgement, which nothing interrupts.
        if (isActive) pending = 'returned';
        interruption$.next(isActive ? 'returned' : 'left');
      };

      if (!pending) subscriber.next({ kind: 'status', status: state.status });
      // If the subscriber has left already, nothing is sent.
      if (subscriber.closed) return;
      subscriber.add(() => followWakes(false));
      if (audience) subscriber.add(audience.isActive$.subscribe(setActive));
      else setActive(true);
      event$
        .pipe(
          concatMap(event => perform(turnAfter(event))),
          repeat({ delay: rest }),
        )
        .subscribe(subscriber);
    });
}
