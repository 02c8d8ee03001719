import { from, Subscription, take, type SchedulerAction } from 'rxjs';
import type { Poll, WatchSettings } from './watch-config.js';
import type { Instant } from './watch-index.js';
import type { Ending, WatchState } from './watch-turn.js';

/** A poll with an index that has been held for this long, in ms, shows that the service is well. */
const LIVE_AFTER = 2_000;

/** A wake does not abort a poll on a new connection that is younger than this, in ms: it was sent because of the same wake. */
const YOUNG_POLL = 1_000;

/** What waits, for an answer or for the next poll, and can be interrupted by a wake. */
export interface Interruptible {
  /** Does nothing once the wait is over. */
  interrupt: (() => void) | undefined;
}

/** Who hears how a poll goes. */
export interface PollObserver<A> {
  /** The service holds the poll: there is nothing new so far. */
  readonly held: () => void;
  /** The poll is over, and not in flight any more. */
  readonly ended: (ending: Ending<A>) => void;
}

/**
 * Sends one poll, and tells how it goes. At a deadline or a wake the poll is aborted; so it is when the returned subscription is
 * unsubscribed from. It has one Observable and one timer, since a process may hold thousands of polls.
 */
export function pollOnce<A>(
  poll: Poll<A>,
  { index, needsFreshConnection }: Pick<WatchState, 'index' | 'needsFreshConnection'>,
  waiting: Interruptible,
  { deadline, scheduler }: Pick<WatchSettings<A>, 'deadline' | 'scheduler'>,
  askedAt: Instant,
  { held, ended }: PollObserver<A>,
): Subscription {
  const polling = new Subscription();
  const end = (ending: Ending<A>) => {
    if (polling.closed) return;
    polling.unsubscribe();
    ended(ending);
  };

  let hasArrived = false;
  // Without an index the service answers at once, so that a wait is no good sign.
  let mayBeHeld = index !== undefined && deadline > LIVE_AFTER;
  const onTime = function (this: SchedulerAction<void>) {
    if (mayBeHeld) {
      mayBeHeld = false;
      held();
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
    const asked = answer$.subscribe({
      next: answer => end({ kind: 'answer', answer, askedAt }),
      error: (error: unknown) => end({ kind: 'failure', error, askedAt }),
      complete: () => end({ kind: 'nothing', askedAt }),
    });
    polling.add(asked);
  } catch (error) {
    end({ kind: 'failure', error, askedAt });
  }
  if (polling.closed) return polling;
  // First it tells that the poll is held, then it ends the poll.
  polling.add(scheduler.schedule(onTime, mayBeHeld ? LIVE_AFTER : deadline));
  waiting.interrupt = () => {
    const isYoung = scheduler.now() - askedAt.at < YOUNG_POLL;
    if (!needsFreshConnection || !isYoung) end({ kind: 'woken', askedAt });
  };
  return polling;
}
