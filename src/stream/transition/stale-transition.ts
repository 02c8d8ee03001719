import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';
import { isAtOnce, withoutExpired, type Answered } from './gap.js';
import { paced } from './pace.js';
import type { Position } from './position.js';
import { CHECK_CACHE, quiet } from './status.js';
import { transitionOf, type Transition, type WatchState } from './watch-state.js';

/** Whether an answer may be a cache's: it says nothing new, at once, and with the very index that was sent. */
export function isStaleAnswer(position: Position, answered: Answered, retention: number): boolean {
  const { index, isNews } = answered;
  return (
    !isNews && index !== undefined && index === position.index && isAtOnce(answered) && retention < Infinity
  );
}

/** An answer that may be a cache's is no word of the service: the watch polls on at its pace. Nobody knows any more how old the index is. */
export function staleTransition<A>(
  state: WatchState,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const position = withoutExpired(state.position, state.askedAt, now, settings.retention);
  const pace = paced(state.pace, now, settings);
  const health = quiet(
    state.health,
    position.contactAt,
    now,
    CHECK_CACHE,
    now.at + pace.rest.until - now.monotonic,
  );
  return transitionOf({ ...state, position: { ...position, isStale: true }, pace }, health, 'stale');
}
