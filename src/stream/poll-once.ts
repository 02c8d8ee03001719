import {
  defer,
  EMPTY,
  ignoreElements,
  Observable,
  take,
  type ObservableInput,
  type SchedulerAction,
  type Subscription,
} from 'rxjs';
import { instant, type Instant } from './clocks.js';
import { knownSince, usableFor } from './gap.js';
import type { SinglePoll, WatchSettings } from './watch-config.js';
import { HELD_AFTER, type WatchEvent, type WatchState } from './watch-state.js';

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL = 1_000;

/** What interrupts a poll, or the wait for it: the machine woke; the last subscriber of a feed left; one came back. */
export type Interruption = 'woken' | 'left' | 'returned';

/**
 * Waits for the permit of one poll and sends it. Emits `sent`, then `held` once the service has been holding it for a while, then
 * how it ended, and completes. At its timeout, at an interruption, and when its index becomes too old before the answer begins to
 * arrive, the poll is aborted; so it is when it is unsubscribed from.
 *
 * It has one timer, and as few objects as it can, since a process may hold thousands of polls.
 */
export function pollOnce<A>(
  poll: SinglePoll<A>,
  state: WatchState,
  settings: WatchSettings<A>,
  interruption$: Observable<Interruption>,
  wokenAt: () => number,
  pollOf: number,
): Observable<WatchEvent<A>> {
  return new Observable(subscriber => {
    const { permit, timeout, retention, scheduler } = settings;
    const { index, askedAt: lastAskedAt, needsFreshConnection } = state;
    let asking: Subscription | undefined;
    let timer: Subscription | undefined;
    let askedAt: Instant | undefined;
    let isFresh = false;
    let arrivedAt: Instant | undefined;
    let isOver = false as boolean;

    const end = (event: WatchEvent<A>) => {
      if (isOver) return;
      isOver = true;
      asking?.unsubscribe();
      timer?.unsubscribe();
      subscriber.next(event);
      subscriber.complete();
    };
    const fail = (error: unknown) => end({ kind: 'failure', error, isUnsent: !askedAt });
    const interrupt = (kind: Interruption) => {
      // A poll that has not been sent yet needs no abort: it gets a new connection anyway.
      if (kind === 'woken' && !askedAt) return;
      const isYoung = askedAt && settings.monotonic.now() - askedAt.monotonic < YOUNG_POLL;
      if (kind !== 'woken' || !isFresh || !isYoung) end({ kind });
    };
    const send = () => {
      const sentAt = (askedAt = instant(settings));
      isFresh = needsFreshConnection || wokenAt() > lastAskedAt.monotonic;
      const usable = usableFor(knownSince(state, sentAt, retention), sentAt, retention);
      // After a gap, the old index is used all the same: it gets what there still is.
      const abortAfter =
        index === undefined || usable < 0 ? timeout : Math.min(timeout, Math.ceil(usable) + 1);
      // Without an index the service answers at once: a held poll is no sign of life.
      let mayBeHeld = index !== undefined && abortAfter > HELD_AFTER;
      const onTime = function (this: SchedulerAction<void>) {
        if (mayBeHeld) {
          mayBeHeld = false;
          subscriber.next({ kind: 'held' });
          if (!arrivedAt) this.schedule(undefined, abortAfter - HELD_AFTER);
        } else if (!arrivedAt) {
          end({ kind: abortAfter === timeout ? 'timeout' : 'outdated' });
        }
      };
      const onArrival = () => {
        arrivedAt ??= instant(settings);
      };
      subscriber.next({ kind: 'sent' });
      try {
        asking = poll(index, { needsFreshConnection: isFresh, onArrival, pollOf }).subscribe({
          next: polled => end({ kind: 'answer', arrivedAt, ...polled }),
          error: fail,
          complete: () => end({ kind: 'nothing' }),
        });
      } catch (error) {
        fail(error);
      }
      if (isOver) return asking?.unsubscribe();
      subscriber.add(asking);
      timer = scheduler.schedule(onTime, mayBeHeld ? HELD_AFTER : abortAfter);
      subscriber.add(timer);
    };

    subscriber.add(interruption$.subscribe(interrupt));
    if (!permit) return send();
    let permitted$: ObservableInput<unknown>;
    try {
      permitted$ = permit();
    } catch (error) {
      return fail(error);
    }
    if (permitted$ === EMPTY) return send();
    const given$ = defer(() => permitted$).pipe(take(1), ignoreElements());
    subscriber.add(given$.subscribe({ error: fail, complete: send }));
  });
}
