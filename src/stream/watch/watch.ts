import {
  catchError,
  concat,
  defer,
  EMPTY,
  filter,
  ignoreElements,
  map,
  Observable,
  of,
  repeat,
  Subject,
  type OperatorFunction,
  type Subscriber,
} from 'rxjs';
import type { Recovery } from '../../error/index.js';
import { within01 } from '../backoff.js';
import { changeStatusOfHeld } from './change-status.js';
import { acknowledge, deliver, untilPresent, type Audience } from './audience.js';
import { followWakes, nextPoll } from './next-poll.js';
import { pollOnce } from './poll-once.js';
import { watchSettings, type Poll, type WatchConfig, type WatchSettings } from './watch-config.js';
import type { Instant } from './watch-index.js';
import { nextTurn } from './next-turn.js';
import { createWatchLog } from './watch-log.js';
import { repeatMemory, type WatchMemory } from './watch-memory.js';
import type { WatchSignal } from './watch-signal.js';
import { firstTurn, type Ending, type Turn, type WatchState } from './watch-turn.js';

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

/**
 * Follows a service by long polling. Emits each answer with news. Each poll sends the index of the last answer; after
 * failures and answers without news it waits before the next poll.
 *
 * Cold: each subscription is a separate watch with at most one poll in flight; unsubscribing aborts it. It completes only if
 * `ack` decides so, and ends only with an error that polling again cannot fix. {@link watchSignals} also emits gaps and status.
 *
 * An answer is emitted without waiting for the subscriber: `concatMap` queues without a bound if it is slower than the service.
 * Use `ack` for work that the next poll should wait for, or that must not be lost.
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
  return signals$ =>
    signals$.pipe(
      filter(signal => signal.kind === 'answer'),
      map(({ answer }) => answer),
    );
}

/**
 * Follows a service by long polling. Emits everything that happens, in order: answers with news, gaps, and changes of status.
 * Cold: each subscription is a separate watch with its own index and at most one poll in flight.
 *
 * It completes only if `ack` decides so, and ends only with an error that `recovery` declares final; everything else is retried.
 * Unsubscribing aborts the poll at once. {@link watch} emits only the answers.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watchSignals(index => ajax.getJSON(`/changes?since=${index ?? ''}`)).subscribe(signal => {
 *   if (signal.kind === 'gap') reload();
 * });
 */
export function watchSignals<A>(poll: Poll<A>, config: WatchConfig<A> = {}): Observable<WatchSignal<A>> {
  const settings = watchSettings(config);
  return defer(() => continuedSignals(poll, settings, { memory: repeatMemory(settings.keyOf) }));
}

/** Like {@link watchSignals}, but continues from where the last subscription with the same `continuity` stopped. */
export function continuedSignals<A>(
  poll: Poll<A>,
  settings: WatchSettings<A>,
  continuity: WatchContinuity<A>,
): Observable<WatchSignal<A>> {
  return new Observable(subscriber => {
    const { memory, audience } = continuity;
    const log = createWatchLog(settings);
    let turn: Turn<A> = firstTurn(settings.from, instant(settings), continuity.place);
    /** A wait was cut short by a wake; there was a wake since the last poll was sent. */
    let isWoken = false;
    let hasWoken = false;

    const keep = (next: Turn<A>) => {
      turn = next;
      continuity.place = next.state;
    };
    const commit = (next: Turn<A>, turning: Turning<A>) => {
      try {
        if (next.delivery?.isRemembered) memory.commit(next.delivery.arrived);
      } catch (error) {
        // `keyOf` threw.
        return turning.error(error);
      }
      keep(next);
      log.turn(next);
      if (next.end && 'error' in next.end) turning.error(next.end.error);
      else turning.complete();
    };
    /** Emits what a turn has to tell, and commits it when that has been taken and acknowledged. */
    const perform = (next: Turn<A>, turning: Turning<A>) => {
      for (const signal of next.signals) {
        log.signal(signal);
        turning.next(signal);
        // Whoever unsubscribes leaves the rest undone.
        if (turning.closed) return;
      }
      const { delivery } = next;
      if (!delivery) return commit(next, turning);
      const { answer, isNews, gap } = delivery;
      if (gap) keep({ ...turn, state: { ...turn.state, toldGap: gap } });
      const onDelivered = () => (settings.ack ? acknowledgeTurn(next, turning) : commit(next, turning));
      if (isNews && audience) {
        const remember = (count: number) => {
          // With `ack`, the whole answer has to come again: it is not only delivered, but acknowledged as a whole.
          if (!settings.ack) memory.commitParts?.(answer, count);
        };
        const next = (part: A) => turning.next({ kind: 'answer', answer: part });
        turning.add(deliver(answer, audience, remember).subscribe({ next, complete: onDelivered }));
        return;
      }
      if (isNews) turning.next({ kind: 'answer', answer });
      if (!turning.closed) onDelivered();
    };
    const acknowledgeTurn = (next: Turn<A>, turning: Turning<A>) => {
      const acknowledged$ = acknowledge(next, settings).pipe(
        // Emitted, but not committed: the failure is handled as a new outcome, from the state before the answer.
        catchError((error: unknown) => of(turnAfter(turn, unacknowledged(next, error), settings, memory))),
      );
      const onNext = (last: WatchSignal<never> | Turn<A>) => {
        if ('kind' in last) turning.next(last);
        else if (last.why === 'ack') perform(last, turning);
        else commit(last, turning);
      };
      turning.add(acknowledged$.subscribe(onNext));
    };
    const onEnding = (ending: Ending<A>, turning: Turning<A>) => {
      const performIt = () => perform(turnAfter(turn, ending, settings, memory), turning);
      if (ending.kind !== 'answer' || !audience) return performIt();
      turning.add(untilPresent(audience).subscribe({ complete: performIt }));
    };
    const onHeld = (turning: Turning<A>) => {
      const held = changeStatusOfHeld(turn.state, settings.scheduler.now());
      if (!held) return;
      keep({ ...turn, state: { ...turn.state, status: held.status } });
      for (const signal of held.signals) turning.next(signal);
    };

    const woken$ = new Subject<void>();
    const turn$ = new Observable<WatchSignal<A>>(turning => {
      const askedAt = instant(settings);
      if (isWoken) {
        isWoken = false;
        return onEnding({ kind: 'woken', askedAt }, turning);
      }
      const { index, needsFreshConnection } = turn.state;
      const from = { index, needsFreshConnection: needsFreshConnection || hasWoken };
      hasWoken = false;
      const polled = pollOnce(poll, from, woken$, settings, askedAt).subscribe(ending =>
        ending.kind === 'held' ? onHeld(turning) : onEnding(ending, turning),
      );
      turning.add(polled);
    });
    const rest$ = defer(() => nextPoll(turn.state, woken$, settings, () => (isWoken = true)));
    const polls$ = turn$.pipe(repeat({ delay: () => (turn.end ? EMPTY : rest$) }));

    openWatches++;
    subscriber.add(() => openWatches--);
    subscriber.next({ kind: 'status', status: turn.state.status });
    // The first poll is sent at once, unless an earlier subscription has polled in vain just before.
    const start$ = turn.state.rest.wait > 0 ? concat(rest$.pipe(ignoreElements()), polls$) : polls$;
    start$.subscribe(subscriber);
    const onWake = () => {
      // Also if nothing can be aborted or shortened at the moment: connections may be dead all the same.
      hasWoken = true;
      woken$.next();
    };
    if (!subscriber.closed) subscriber.add(followWakes(settings, onWake));
  });
}

/** The turn that follows from how a poll ended. */
function turnAfter<A>(
  { state }: Turn<A>,
  ending: Ending<A>,
  settings: WatchSettings<A>,
  memory: WatchMemory<A>,
): Turn<A> {
  const spread = Math.max(MIN_SPREAD, openWatches * SPREAD_PER_WATCH);
  const moment = { now: instant(settings), chance: within01(settings.random()), spread };
  const laws = { ...settings, memory };
  try {
    return nextTurn(state, { ...ending, ...moment }, laws);
  } catch (error) {
    // A callback of the config threw. That is a bug, which polling again cannot fix.
    const { askedAt } = ending;
    const final = { ...laws, recovery: (): Recovery => ({ kind: 'end' }) };
    return nextTurn(state, { kind: 'failure', error, askedAt, ...moment }, final);
  }
}

function unacknowledged<A>({ state, delivery }: Turn<A>, error: unknown): Ending<A> {
  const at = delivery?.checkpoint.at ?? 0;
  return { kind: 'unacknowledged', error, told: state.status, askedAt: { at, monotonic: undefined } };
}

function instant<A>({ scheduler, monotonic }: WatchSettings<A>): Instant {
  return { at: scheduler.now(), monotonic: monotonic.now() };
}
