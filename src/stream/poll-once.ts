import { concat, defer, EMPTY, ignoreElements, map, Observable, take } from 'rxjs';
import { reportSlow } from './awaited.js';
import { OpenPoll, type Perform, type Polling, type PollInterruptions } from './open-poll.js';
import { isPrerendering, whenShown } from './timing/index.js';
import type { WatchEvent, WatchState } from './transition/index.js';
import type { WatchSignal } from './watch-signal.js';

/**
 * Sends one poll, once the quota and `beforePoll` allow it. Performs the event `waiting` until
 * then, `sent`, `held` once the service has been holding the poll for a while, then how the poll
 * ended. Emits what they lead to, and completes with the last one. The poll is aborted at its
 * timeout, at an interruption, and when it is unsubscribed from.
 *
 * `state` returns the current state of the watch.
 */
export function pollOnce<A>(
  polling: Polling<A>,
  state: () => WatchState,
  interruptions: PollInterruptions,
  perform: Perform<A>,
): Observable<WatchSignal<A>> {
  return new Observable(subscriber => {
    const open = new OpenPoll(polling, state, interruptions, perform, subscriber);
    subscriber.add(open);
    open.begin(allowed(polling));
  });
}

/**
 * Completes when a poll may be sent. `undefined` if that is at once. A prerendered page has to be
 * shown first. Emits `waiting` if the quota has no room for the poll yet.
 */
function allowed<A>({ settings, watchId }: Polling<A>): Observable<WatchEvent<A>> | undefined {
  const { quota, beforePoll, monotonic, scheduler, log } = settings;
  if (!quota && !beforePoll && !isPrerendering()) return undefined;
  const room$ = (quota?.take('poll') ?? EMPTY).pipe(
    map(wait => ({ kind: 'waiting', until: monotonic.now() + wait }) as const),
  );
  const onSlow = () => log({ kind: 'slow', at: scheduler.now(), watchId, callback: 'beforePoll' });
  const beforePoll$ = defer(() => beforePoll?.() ?? EMPTY).pipe(
    take(1),
    ignoreElements(),
    reportSlow(onSlow, scheduler),
  );
  return concat(isPrerendering() ? whenShown() : EMPTY, room$, beforePoll$);
}
