import { HELD_MS } from '../../error/index.js';
import { spreadWait, hasSlept } from '../timing/index.js';
import { connecting } from '../watch-signal.js';
import { paceWait, restFor, waitLeft } from './pace.js';
import { offline, online, healthTransition, withStatus } from './status.js';
import type { Interruption, Position, Transition, Turn, WatchState } from './watch-state.js';

/** An interruption between two polls, or one that ends a poll. */
export function interruptionTransition<A>(turn: Turn<A>, kind: Interruption): Transition<A> {
  const { state, now } = turn;
  switch (kind) {
    case 'woken':
      return wokenTransition(turn);
    case 'offline':
      return healthTransition(state, offline(state.health, now));
    case 'online':
      return healthTransition(state, online(state.health, now));
    case 'left':
      return leftTransition(turn);
    case 'returned':
      return returnedTransition(turn);
  }
}

/** The last subscriber of a feed left. The error stays, for a subscriber that returns soon. */
function leftTransition<A>({ state, now }: Turn<A>): Transition<A> {
  const { attempt, error } = state.health.status;
  return healthTransition(state, withStatus(state.health, { state: 'idle', attempt, error }, now), 'paused');
}

/**
 * The machine woke, or `wake()` was called. The watch polls soon, on a new connection. A wait never
 * becomes longer.
 */
function wokenTransition<A>({ state, now, openWatches, settings }: Turn<A>): Transition<A> {
  const { rest } = state.pace;
  const left = waitLeft(state.pace, now.monotonic);
  const isWaiting = left > 0;
  const leastWait = isWaiting ? rest.earliest - now.monotonic : paceWait(state.pace, now, settings);
  const wokenWait = Math.max(leastWait, spreadWait(openWatches, settings));
  const wait = isWaiting ? Math.min(wokenWait, left) : wokenWait;
  // Further wakes do not shorten this wait.
  const pace = { ...state.pace, rest: restFor(now, wait) };
  const next = { ...state, needsFreshConnection: true, pace };
  const { status } = state.health;
  if (status.nextTry === undefined) return { state: next, signals: [], why: 'woken' };
  const nextTry = now.at + wait;
  return healthTransition(next, withStatus(state.health, { ...status, nextTry }, now), 'woken');
}

/**
 * A feed has a subscriber again. It goes on where the last one left, but not before the service and
 * the pace allow it.
 */
function returnedTransition<A>({ state, now, settings }: Turn<A>): Transition<A> {
  const wait = Math.max(0, state.pace.rest.earliest - now.monotonic);
  const rest = restFor(now, Math.max(wait, paceWait(state.pace, now, settings)));
  const { isSure, heldAfter, status } = state.health;
  const { lastAnswer, error } = status;
  const left = waitLeft({ ...state.pace, rest }, now.monotonic);
  const nextTry = left > 0 ? now.at + left : undefined;
  const before = {
    ...state.health,
    heldAfter: isSure ? HELD_MS : heldAfter,
    isOffline: false,
    status: { ...connecting(now.at, lastAnswer), nextTry },
  };
  const isRetrying = nextTry !== undefined && error !== undefined;
  // The backoff begins again, unless its wait goes on.
  const attempt = isRetrying ? state.pace.attempt : 0;
  const change = isRetrying ? ({ state: 'retrying', attempt, error, nextTry } as const) : undefined;
  const { health } = withStatus(before, change, now);
  return {
    signals: [{ kind: 'status', status: health.status }],
    state: {
      ...state,
      position: returnedPosition(state, settings.resume),
      pace: { ...state.pace, rest, attempt },
      health,
      // Nothing has listened for wakes since the last subscriber left.
      needsFreshConnection: state.needsFreshConnection || hasSlept(state.askedAt, now),
    },
    why: 'resumed',
  };
}

/**
 * Where a feed goes on. Without `resume`, it starts from now, with a gap for the events that it
 * skips.
 */
function returnedPosition({ position, askedAt }: WatchState, resume: boolean): Position {
  const { index, due } = position;
  // A feed that has not polled yet has no position to give up.
  const hasPolled = askedAt.monotonic > -Infinity;
  const isGivenUp = !resume && hasPolled && (index !== undefined || due !== undefined);
  return isGivenUp ? { ...position, index: undefined, due: { reason: 'unwatched', index } } : position;
}
