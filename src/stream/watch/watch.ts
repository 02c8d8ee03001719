import {
  catchError,
  concat,
  concatMap,
  concatWith,
  connect,
  defaultIfEmpty,
  defer,
  EMPTY,
  endWith,
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
import type { Recovery } from '../../error/index.js';
import { watchSettings, type Poll, type WatchConfig, type WatchSettings } from './watch-config.js';
import { nextTurn, WAKE_JITTER, type Ending, type Turn, type WatchState } from './watch-laws.js';
import type { WatchSignal } from './watch-signal.js';

/** Wakes within this time, in ms, count as one: going online and becoming visible often coincide. */
const WAKE_THROTTLE = 1_000;

/** The number of watches so far in this process, to number them in the log. */
let watchCount = 0;

/**
 * Follows a service by long polling. Emits each answer with news. Each poll sends the index of the last answer; after
 * failures and answers without news it waits before the next poll.
 *
 * Cold: each subscription is a separate watch with at most one poll in flight; unsubscribing aborts it. It never completes,
 * and ends only with an error that polling again cannot fix. {@link watchSignals} also emits gaps and status.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch(index => client.request(changes, { group_id, ...(index && { watch_index: index }) })).subscribe(show);
 */
export function watch<A>(poll: Poll<A>, config?: WatchConfig<A>): Observable<A> {
  return watchSignals(poll, config).pipe(answers());
}

/**
 * Keeps only the answers of a watch.
 *
 * @example
 * watchSignals(poll).pipe(answers()).subscribe(show);
 */
export function answers<A>(): OperatorFunction<WatchSignal<A>, A> {
  return concatMap(signal => (signal.kind === 'answer' ? [signal.answer] : []));
}

/**
 * Follows a service by long polling. Emits everything that happens, in order: answers with news, gaps, and changes of status.
 * Cold: each subscription is a separate watch with its own index and at most one poll in flight.
 *
 * It never completes, and ends only with an error that `recovery` declares final; everything else is retried. Unsubscribing
 * aborts the poll at once. {@link watch} emits only the answers.
 *
 * `onCommit` is called with each answer after `ack` has completed, when its index takes effect. A poll that filters its
 * answers can use it to remember what has been delivered.
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

    const commit = (next: Turn<A>): Observable<never> => {
      if (next.toAck) onCommit(next.toAck.answer);
      turn = next;
      log.turn(next);
      const { end } = next;
      return end ? throwError(() => end.error) : EMPTY;
    };
    const perform = (next: Turn<A>): Observable<WatchSignal<A>> => {
      const signals$ = from(next.signals).pipe(tap(log.signal));
      const committed$ = defer(() => commit(next));
      if (!next.toAck) return concat(signals$, committed$);
      const acknowledged$ = acknowledge(next.toAck, settings).pipe(
        endWith(next),
        // Emitted, but not committed: the failure is handled as a new outcome, from the state before the answer.
        catchError((error: unknown) =>
          of(turnAfter(turn, { kind: 'unacknowledged', error, told: next.state.status }, settings)),
        ),
        concatMap(last => (last === next ? committed$ : perform(last))),
      );
      return concat(signals$, acknowledged$);
    };

    return wakes(settings).pipe(
      connect(wake$ =>
        defer(() => pollOnce(poll, turn.state.index, wake$, settings)).pipe(
          concatMap(ending => perform(turnAfter(turn, ending, settings))),
          repeat({ delay: () => nextPoll(turn, wake$, settings) }),
          startWith({ kind: 'status', status: turn.state.status } as const),
        ),
      ),
    );
  });
}

/** The turn that follows from how a poll ended. */
function turnAfter<A>({ state }: Turn<A>, ending: Ending<A>, settings: WatchSettings<A>): Turn<A> {
  const moment = { at: settings.scheduler.now(), chance: settings.random() };
  try {
    return nextTurn(state, { ...ending, ...moment }, settings);
  } catch (error) {
    // A callback of the config threw. That is a bug, which polling again cannot fix.
    const laws = { ...settings, recovery: (): Recovery => ({ kind: 'end' }) };
    return nextTurn(state, { kind: 'failure', error, ...moment }, laws);
  }
}

/** The state before the first poll. */
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

/** A wake source that fails or completes does not end the watch. */
function wakes<A>({ wake$, scheduler }: WatchSettings<A>): Observable<unknown> {
  return from(wake$).pipe(
    catchError(() => NEVER),
    concatWith(NEVER),
    throttleTime(WAKE_THROTTLE, scheduler),
  );
}

/** Sends one poll and emits how it ended. It never errors; at a deadline or a wake the poll is aborted. */
function pollOnce<A>(
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

/** Calls `ack`. Completes when it has completed, or fails with its error. */
function acknowledge<A>(
  { answer, checkpoint }: NonNullable<Turn<A>['toAck']>,
  { ack }: WatchSettings<A>,
): Observable<never> {
  return defer(() => from(ack(answer, checkpoint))).pipe(ignoreElements());
}

/** Emits when the next poll is due: after the wait, or soon after a wake unless the service asked for the wait. */
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
  const watchId = ++watchCount;
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
