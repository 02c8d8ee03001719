import { defer, from, ignoreElements, take, type SchedulerAction, type Subscription } from 'rxjs';
import type { Poll, WatchSettings } from './watch-config.js';
import { instant, type Instant } from './watch-index.js';
import type { Ending, WatchState } from './watch-turn.js';

/** A poll with an index that has been held for this long, in ms, shows that the service is well. */
const LIVE_AFTER = 2_000;

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL = 1_000;

/** Who polls, and hears how a poll goes. `turning` is what the poll belongs to. */
export interface Poller<A, Turning> {
  /** What waits, for an answer or for the next poll, is interrupted by a wake. It does nothing once the wait is over. */
  interrupt: (() => void) | undefined;
  /** The service holds the poll: there is nothing new so far. */
  held(turning: Turning): void;
  /** The poll is over, and not in flight any more. */
  ended(ending: Ending<A>, turning: Turning): void;
}

/** Calls `send` when a poll may be sent. If that fails, so has the poll. */
export function whenPermitted<A, Turning extends Subscription>(
  settings: WatchSettings<A>,
  poller: Poller<A, Turning>,
  turning: Turning,
  send: () => void,
): void {
  const { permit } = settings;
  if (!permit) return send();
  const askedAt = instant(settings);
  const permitted$ = defer(permit).pipe(take(1), ignoreElements());
  turning.add(
    permitted$.subscribe({
      error: (error: unknown) => poller.ended({ kind: 'failure', error, askedAt }, turning),
      complete: send,
    }),
  );
}

/**
 * Sends one poll, and tells how it goes. At a deadline or a wake the poll is aborted; so it is when `turning` is unsubscribed
 * from. It has one timer, and as few objects as it can, since a process may hold thousands of polls.
 */
export function pollOnce<A, Turning extends Subscription>(
  poll: Poll<A>,
  { index, needsFreshConnection }: Pick<WatchState, 'index' | 'needsFreshConnection'>,
  { deadline, scheduler }: Pick<WatchSettings<A>, 'deadline' | 'scheduler'>,
  askedAt: Instant,
  poller: Poller<A, Turning>,
  turning: Turning,
): void {
  let asked = undefined as Subscription | undefined;
  let timer = undefined as Subscription | undefined;
  let isOver = false as boolean;
  const end = (ending: Ending<A>) => {
    if (isOver || turning.closed) return;
    isOver = true;
    asked?.unsubscribe();
    timer?.unsubscribe();
    poller.ended(ending, turning);
  };

  let hasArrived = false;
  // Without an index the service answers at once, so that a wait is no good sign.
  let mayBeHeld = index !== undefined && deadline > LIVE_AFTER;
  const onTime = function (this: SchedulerAction<void>) {
    if (mayBeHeld) {
      mayBeHeld = false;
      poller.held(turning);
      if (!hasArrived) this.schedule(undefined, deadline - LIVE_AFTER);
    } else if (!hasArrived) {
      end({ kind: 'deadline', askedAt });
    }
  };
  const onArrival = () => {
    hasArrived = true;
  };

  try {
    // Not only unsubscribed from afterwards: what emits synchronously might never return.
    const answer$ = from(poll(index, { needsFreshConnection, onArrival })).pipe(take(1));
    asked = answer$.subscribe({
      next: answer => end({ kind: 'answer', answer, askedAt }),
      error: (error: unknown) => end({ kind: 'failure', error, askedAt }),
      complete: () => end({ kind: 'nothing', askedAt }),
    });
  } catch (error) {
    end({ kind: 'failure', error, askedAt });
  }
  if (isOver) {
    asked?.unsubscribe();
    return;
  }
  turning.add(asked);
  // First it tells that the poll is held, then it ends the poll.
  timer = scheduler.schedule(onTime, mayBeHeld ? LIVE_AFTER : deadline);
  turning.add(timer);
  poller.interrupt = () => {
    const isYoung = scheduler.now() - askedAt.at < YOUNG_POLL;
    if (!needsFreshConnection || !isYoung) end({ kind: 'woken', askedAt });
  };
}
