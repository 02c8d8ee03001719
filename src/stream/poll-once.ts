import {
  concat,
  defer,
  EMPTY,
  ignoreElements,
  map,
  Observable,
  Subscription,
  take,
  type SchedulerAction,
} from 'rxjs';
import { instant, type Clocks, type Instant } from './clocks.js';
import type { Interruptions } from './interruptions.js';
import type { Interruption, WatchEvent, WatchState } from './transition/index.js';
import type { PollSignal, SentPollContext, SinglePoll } from './poll.js';
import type { WatchSettings } from './watch-config.js';

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL_MS = 1_000;

/** The watch of a poll. */
interface Polling<A> {
  readonly poll: SinglePoll<A>;
  readonly settings: WatchSettings<A>;
  readonly watchId: number;
}

/**
 * Sends one poll, once the quota and `beforePoll` allow it. Emits `waiting` until then, `sent`, `held` once the service has been holding it
 * for a while, then how it ended, and completes. At its timeout and at an interruption it is aborted; so it is when it is unsubscribed from.
 *
 * `state` is the state of the watch now. It has one timer, and as few objects as it can, since a process may hold thousands of polls.
 */
export function pollOnce<A>(
  { poll, settings, watchId }: Polling<A>,
  state: () => WatchState,
  interruptions: Pick<Interruptions, 'interruption$' | 'wokenAt'>,
): Observable<WatchEvent<A>> {
  return new Observable(subscriber => {
    const { scheduler, timeout } = settings;
    const { position, needsFreshConnection, askedAt: lastAskedAt } = state();
    const heldAfter = () => state().health.heldAfter;
    const running = new Subscription();
    let context: Context | undefined;
    let askedAt = -Infinity;
    let isHeldAnew = false as boolean;
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
    const tellHeld = () => {
      // A poll that waits for its token is not held by the service. What has begun to arrive may take as long as it flows.
      if (context?.sentAt && !context.arrivedAt) subscriber.next({ kind: 'held' });
    };
    const interrupt = (kind: Interruption) => {
      if (kind === 'offline' || kind === 'online') {
        subscriber.next({ kind });
        if (kind === 'offline' || position.index === undefined || !context) return;
        // From now on.
        isHeldAnew = true;
        if (heldAfter() < timeout) running.add(scheduler.schedule(tellHeld, heldAfter()));
        return;
      }
      // A poll that has not been sent yet needs no abort: it gets a new connection anyway.
      const isYoung = context && settings.monotonic.now() - askedAt < YOUNG_POLL_MS;
      if (kind === 'woken' && (!context || (isYoung && context.needsFreshConnection))) return;
      end({ kind });
    };
    const send = () => {
      // A wake may have come while nothing was on its way.
      const isFresh = needsFreshConnection || interruptions.wokenAt > lastAskedAt.monotonic;
      const own = (context = new Context(settings, isFresh, watchId));
      askedAt = settings.monotonic.now();
      subscriber.next({ kind: 'sent' });
      const held = heldAfter();
      // Without an index the service answers at once: a held poll is no sign of life.
      let mayBeHeld = position.index !== undefined && timeout > held;
      const onTime = function (this: SchedulerAction<void>) {
        if (own.arrivedAt) return;
        if (!mayBeHeld) {
          end({ kind: 'timeout' });
          return;
        }
        mayBeHeld = false;
        this.schedule(undefined, timeout - held);
        if (!isHeldAnew) tellHeld();
      };
      try {
        const next = (polled: object) =>
          end({ kind: 'answer', arrivedAt: own.arrivedAt, ...polled } as WatchEvent<A>);
        running.add(
          poll(position.index, own).subscribe({
            next,
            error: fail,
            complete: () => end({ kind: 'completed' }),
          }),
        );
      } catch (error) {
        fail(error);
      }
      if (!isOver) running.add(scheduler.schedule(onTime, mayBeHeld ? held : timeout));
    };

    subscriber.add(running);
    subscriber.add(() => isOver || context?.abort());
    subscriber.add(interruptions.interruption$.subscribe(interrupt));
    const next = (event: WatchEvent<A>) => subscriber.next(event);
    if (!settings.quota && !settings.beforePoll) send();
    else subscriber.add(allowed(settings).subscribe({ next, error: fail, complete: send }));
  });
}

/** How a poll ends by itself. */
const ENDS: readonly string[] = ['answer', 'completed', 'failure'];

/** Completes when a poll may be sent. Emits `waiting` if there is no room for it in the quota yet. */
function allowed<A>(settings: WatchSettings<A>): Observable<WatchEvent<A>> {
  const { quota, beforePoll, monotonic } = settings;
  const room$ = (quota?.() ?? EMPTY).pipe(
    map(wait => ({ kind: 'waiting', until: monotonic.now() + wait }) as const),
  );
  const beforePoll$ = defer(() => beforePoll?.() ?? EMPTY).pipe(take(1), ignoreElements());
  return concat(room$, beforePoll$);
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
