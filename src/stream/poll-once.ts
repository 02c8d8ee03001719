import {
  concat,
  defer,
  EMPTY,
  ignoreElements,
  Observable,
  Subscription,
  take,
  tap,
  timer,
  type SchedulerAction,
} from 'rxjs';
import { instant, type Clocks, type Instant } from './clocks.js';
import type { Interruptions } from './interruptions.js';
import { waitBeforeExpiry, type Interruption, type WatchEvent, type WatchState } from './turn/index.js';
import type { PollSignal, SentPollContext, SinglePoll } from './poll.js';
import type { WatchSettings } from './watch-config.js';

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL_MS = 1_000;

/** What a poll needs to know of its watch. */
export interface PollOf {
  readonly watchId: number;
  readonly state: WatchState;
  readonly interruptions: Pick<Interruptions, 'interruption$' | 'wokenAt'>;
}

/**
 * Sends one poll, once the budget and the permit allow it. Emits `waiting` until then, `sent`, `held` once the service has been holding it
 * for a while, then how it ended, and completes. At its timeout and at an interruption it is aborted; so it is when it is unsubscribed from.
 *
 * It has one timer, and as few objects as it can, since a process may hold thousands of polls.
 */
export function pollOnce<A>(
  poll: SinglePoll<A>,
  settings: WatchSettings<A>,
  { watchId, state, interruptions }: PollOf,
): Observable<WatchEvent<A>> {
  return new Observable(subscriber => {
    const { scheduler, timeout } = settings;
    const { place, health, needsFreshConnection } = state;
    const running = new Subscription();
    let context: Context | undefined;
    let askedAt = -Infinity;
    let isOver = false as boolean;
    const end = (event: WatchEvent<A>) => {
      if (isOver) return;
      isOver = true;
      // Not if it has ended by itself.
      if (!ENDS.includes(event.kind)) context?.abort();
      running.unsubscribe();
      subscriber.next(event);
      subscriber.complete();
    };
    const fail = (error: unknown) => end({ kind: 'failure', error, ...heldBy(context, settings) });
    const interrupt = (kind: Interruption) => {
      if (kind === 'offline') {
        subscriber.next({ kind });
        return;
      }
      // A poll that has not been sent yet needs no abort: it gets a new connection anyway.
      const isYoung = context && settings.monotonic.now() - askedAt < YOUNG_POLL_MS;
      if (kind === 'woken' && (!context || (isYoung && context.needsFreshConnection))) return;
      end({ kind });
    };
    const send = () => {
      // A wake may have come while nothing was on its way.
      const isFresh = needsFreshConnection || interruptions.wokenAt > state.askedAt.monotonic;
      const own = (context = new Context(settings, isFresh, watchId));
      askedAt = settings.monotonic.now();
      // Without an index the service answers at once: a held poll is no sign of life.
      let mayBeHeld = place.index !== undefined && timeout > health.heldAfter;
      const onTime = function (this: SchedulerAction<void>) {
        // What has begun to arrive may take as long as it flows.
        if (own.arrivedAt) return;
        if (!mayBeHeld) {
          end({ kind: 'timeout' });
          return;
        }
        mayBeHeld = false;
        this.schedule(undefined, timeout - health.heldAfter);
        // A poll that waits for its token is not held by the service.
        if (own.sentAt) subscriber.next({ kind: 'held' });
      };
      subscriber.next({ kind: 'sent' });
      try {
        const next = (polled: object) =>
          end({ kind: 'answer', arrivedAt: own.arrivedAt, ...polled } as WatchEvent<A>);
        running.add(
          poll(place.index, own).subscribe({ next, error: fail, complete: () => end({ kind: 'nothing' }) }),
        );
      } catch (error) {
        fail(error);
      }
      if (!isOver) running.add(scheduler.schedule(onTime, mayBeHeld ? health.heldAfter : timeout));
    };

    subscriber.add(running);
    subscriber.add(() => isOver || context?.abort());
    subscriber.add(interruptions.interruption$.subscribe(interrupt));
    const next = (event: WatchEvent<A>) => subscriber.next(event);
    if (!settings.budget && !settings.permit) send();
    else subscriber.add(allowed(settings, state).subscribe({ next, error: fail, complete: send }));
  });
}

/** How a poll ends by itself. */
const ENDS: readonly string[] = ['answer', 'nothing', 'failure'];

/** No poll waits for the budget until less than this is left before its index expires, in ms. */
const LAST_CHANCE_MS = 2_000;

/** Completes when a poll may be sent. Emits `waiting` if there is no room for it in the budget yet. */
function allowed<A>(settings: WatchSettings<A>, { place }: WatchState): Observable<WatchEvent<A>> {
  const { budget, permit, retention, scheduler } = settings;
  return defer(() => {
    const now = instant(settings);
    const reserved = budget?.(waitBeforeExpiry(place, Infinity, now, retention, () => LAST_CHANCE_MS));
    const wait = reserved?.wait ?? 0;
    if (wait <= 0 && !permit) return EMPTY;
    const waiting = { kind: 'waiting', until: now.monotonic + wait } as const;
    const room$ = wait > 0 ? concat([waiting], timer(wait, scheduler).pipe(ignoreElements())) : EMPTY;
    const permit$ = defer(() => permit?.() ?? EMPTY).pipe(take(1), ignoreElements());
    const cancel = () => reserved?.cancel();
    return concat(room$, permit$).pipe(tap({ error: cancel, unsubscribe: cancel }));
  });
}

/** How long a poll was held, in ms, and whether an answer had begun. */
function heldBy(context: Context | undefined, clocks: Clocks) {
  const { sentAt, arrivedAt } = context ?? {};
  const endedAt = arrivedAt ?? instant(clocks);
  return { heldFor: sentAt ? endedAt.monotonic - sentAt.monotonic : 0, hasArrived: arrivedAt !== undefined };
}

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
