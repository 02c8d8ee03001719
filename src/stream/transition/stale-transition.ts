import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-settings.js';
import { isAtOnce, withoutExpired, type Answered } from './gap.js';
import { paced } from './pace.js';
import type { Position } from './position.js';
import { CHECK_CACHE, quiet } from './status.js';
import { transitionOf, type Transition, type WatchState } from './watch-state.js';

/**
 * Whether an answer may be a cache's: it says nothing new, at once, and with the very index that
 * was sent. Or it is one of the last two answers with news, under an index that goes back: two
 * caches, or replicas, each repeat what they have.
 */
export function isStaleAnswer<A>(
  position: Position,
  answered: Answered,
  { retention, isOlder }: WatchSettings<A>,
): boolean {
  const { index, key, isEmpty, isNews } = answered;
  if (index === undefined || position.index === undefined) return false;
  if (!isAtOnce(answered) || retention === Infinity) return false;
  if (!isNews && index === position.index) return true;
  const isKnown = key === position.key || key === position.keyBefore;
  return !isEmpty && isKnown && isOlder(index, position.index);
}

/**
 * An answer that may be a cache's is no word of the service: the watch polls on at its pace. Nobody
 * knows any more how old the index is.
 */
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
