import {
  catchError,
  concat,
  concatMap,
  concatWith,
  connect,
  defaultIfEmpty,
  defer,
  EMPTY,
  from,
  ignoreElements,
  map,
  merge,
  NEVER,
  of,
  raceWith,
  repeat,
  startWith,
  switchMap,
  take,
  tap,
  throttleTime,
  throwError,
  timeout,
  timer,
  type Observable,
  type OperatorFunction,
} from 'rxjs';
import { watchSettings, type Poll, type WatchConfig, type WatchSettings } from './watch-config.js';
import { nextTurn, WAKE_JITTER, type Ending, type Turn, type WatchState } from './watch-laws.js';
import type { WatchSignal } from './watch-signal.js';

/** Several wake sources tell of the same wake: being online and being visible again, say. In ms. */
const SAME_WAKE = 1_000;

/** How many watches there have been in this process: the log tells them apart by it. */
let watches = 0;

/**
 * Follows a service that answers by blocking watches: one value for each answer with news. It sends back the index of the
 * last answer, waits if the service fails or has no news, and goes on for ever.
 *
 * Cold: each subscription is a watch of its own, with at most one poll in flight; unsubscribing aborts it. It never
 * completes, and ends only with an error that no further poll can mend. {@link watchSignals} tells gaps and status, too.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch(index => client.request(changes, { group_id, ...(index && { watch_index: index }) })).subscribe(show);
 */
export function watch<A>(poll: Poll<A>, config?: WatchConfig<A>): Observable<A> {
  return watchSignals(poll, config).pipe(answers());
}

/** Of everything that happens in a watch, the answers alone. */
export function answers<A>(): OperatorFunction<WatchSignal<A>, A> {
  return concatMap(signal => (signal.kind === 'answer' ? [signal.answer] : []));
}

/**
 * Follows a service that answers by blocking watches, and tells everything that happens, in order: answers with news, gaps,
 * changes of status. Cold: each subscription is a watch of its own, with an index of its own, and at most one poll in
 * flight.
 *
 * It never completes. It ends only with an error that no further poll can mend, as `recovery` says; everything else is
 * retried. Unsubscribing aborts the poll at once. {@link watch} keeps the answers alone.
 *
 * `onCommit` is called with each answer when its index is taken over, once `ack` has completed: whoever filters what the
 * poll gives remembers then what was delivered.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watchSignals(index => ajax.getJSON(`/changes?since=${index ?? ''}`)).subscribe(signal => {
 *   if (signal.kind === 'gap') reload();
 * });
 */
export function watchSignals<A>(
  poll: Poll<A>,
  config: WatchConfig<A> = {},
  onCommit: (answer: A) => void = () => undefined,
): Observable<WatchSignal<A>> {
  const settings = watchSettings(config);
  return defer(() => {
    const log = createLog<A>(settings);
    let turn: Turn<A> = firstTurn(settings);

    const follow = (ending: Ending<A>): Turn<A> => {
      const { random, scheduler } = settings;
      return nextTurn(turn.state, { ...ending, at: scheduler.now(), chance: random() }, settings);
    };
    const commit = (next: Turn<A>): Observable<never> => {
      if (next.toAck) onCommit(next.toAck.answer);
      turn = next;
      log.turn(next);
      return next.end ? throwError(() => next.end?.error) : EMPTY;
    };
    const play = (next: Turn<A>): Observable<WatchSignal<A>> => {
      const told$ = from(next.signals).pipe(tap(log.signal));
      const committed$ = defer(() => commit(next));
      if (!next.toAck) return concat(told$, committed$);
      const acknowledged$ = acknowledge(next.toAck, settings).pipe(
        concatWith(committed$),
        // Told, but not taken over: what failed is played as an outcome of its own, from the state before the answer.
        catchError((error: unknown) =>
          play(follow({ kind: 'unacknowledged', error, told: next.state.status })),
        ),
      );
      return concat(told$, acknowledged$);
    };

    return wakes(settings).pipe(
      connect(wake$ =>
        defer(() => askOnce(poll, turn.state.index, wake$, settings)).pipe(
          concatMap(ending => play(follow(ending))),
          repeat({ delay: () => nextPoll(turn, wake$, settings) }),
          startWith({ kind: 'status', status: turn.state.status } as const),
        ),
      ),
    );
  });
}

/** What a watch knows before its first poll. */
function firstTurn<A>({ from: start, scheduler }: WatchSettings<A>): Turn<A> {
  const now = scheduler.now();
  const state: WatchState<A> = {
    index: start?.index,
    indexAt: start?.at,
    previous: undefined,
    gap: start && start.index === undefined ? { reason: 'index_missing', index: undefined } : undefined,
    indexFailures: 0,
    busyUntil: now,
    status: {
      state: 'connecting',
      since: now,
      lastAnswer: start?.at,
      attempt: 0,
      nextTry: undefined,
      error: undefined,
    },
  };
  return { signals: [], state, wait: 0, why: 'nothing' };
}

/** The watch outlives its wake source: without one it only hears later that the machine is back. */
function wakes<A>({ wake$, scheduler }: WatchSettings<A>): Observable<unknown> {
  return from(wake$).pipe(
    catchError(() => NEVER),
    concatWith(NEVER),
    throttleTime(SAME_WAKE, scheduler),
  );
}

/** One poll, and how it ended. It never fails; whatever ends it aborts it. */
function askOnce<A>(
  poll: Poll<A>,
  index: string | undefined,
  wake$: Observable<unknown>,
  { deadline, scheduler }: WatchSettings<A>,
): Observable<Ending<A>> {
  const askedAt = scheduler.now();
  return defer(() => from(poll(index))).pipe(
    map((answer): Ending<A> => ({ kind: 'answer', answer, askedAt })),
    defaultIfEmpty<Ending<A>, Ending<A>>({ kind: 'nothing' }),
    timeout({ first: deadline, scheduler, with: () => of<Ending<A>>({ kind: 'deadline' }) }),
    raceWith(wake$.pipe(map((): Ending<A> => ({ kind: 'woken' })))),
    take(1),
    catchError((error: unknown) => of<Ending<A>>({ kind: 'failure', error })),
  );
}

/** Completes when the consumer is done with an answer; fails if the consumer does. */
function acknowledge<A>(
  { answer, checkpoint }: NonNullable<Turn<A>['toAck']>,
  { ack }: WatchSettings<A>,
): Observable<never> {
  return defer(() => from(ack(answer, checkpoint))).pipe(ignoreElements());
}

/** Emits when the next poll is due: after the turn's wait, or soon after a wake, unless the service asked for the wait. */
function nextPoll<A>(
  { wait, why }: Turn<A>,
  wake$: Observable<unknown>,
  { random, scheduler }: WatchSettings<A>,
): Observable<unknown> {
  const due$ = timer(wait, scheduler);
  if (why === 'asked') return due$;
  const woken$ = wake$.pipe(
    take(1),
    switchMap(() => timer(random() * WAKE_JITTER, scheduler)),
  );
  return merge(due$, woken$).pipe(take(1));
}

/** The log of one watch. */
function createLog<A>({ log, scheduler }: WatchSettings<A>) {
  const watchId = ++watches;
  const stamp = () => ({ at: scheduler.now(), watchId });
  return {
    signal: (signal: WatchSignal<A>) => {
      if (signal.kind !== 'gap') return;
      const { reason, index } = signal.gap;
      log({ ...stamp(), kind: 'gap', reason, index });
    },
    turn: ({ why, wait, state: { status } }: Turn<A>) =>
      log({ ...stamp(), kind: 'turn', why, wait, attempt: status.attempt, error: status.error }),
  };
}
