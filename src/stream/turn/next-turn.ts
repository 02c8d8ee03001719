import { spreadWait } from '../backoff.js';
import { hasSlept, type Instant } from '../clocks.js';
import { resumePoint, type WatchSettings } from '../watch-config.js';
import { connecting, type Checkpoint } from '../watch-signal.js';
import { answerTurn, nothingTurn } from './answer-turn.js';
import { endedTurn, failureTurn, retryTurn, timeoutTurn } from './failure-turn.js';
import { charged, paced, paceWait, restFor } from './pace.js';
import { dueGap, HELD_MS, resumedPlace, type DueGap } from './place.js';
import { withStatus, held, offline, waiting } from './status.js';
import { turnOf, turnTo, type Moment, type Turn, type WatchEvent, type WatchState } from './watch-state.js';

/** The laws of the watch as one pure function: from a state and what happened to a poll to the next turn. */
export function nextTurn<A>(
  state: WatchState,
  event: WatchEvent<A>,
  moment: Moment,
  settings: WatchSettings<A>,
): Turn<A> {
  try {
    return turnAt(state, event, moment, settings);
  } catch (error) {
    // A callback of the config threw. That is a bug, which polling again cannot fix.
    return endedTurn(state, moment.now, settings, { error });
  }
}

function turnAt<A>(
  state: WatchState,
  event: WatchEvent<A>,
  moment: Moment,
  settings: WatchSettings<A>,
): Turn<A> {
  const { now } = moment;
  switch (event.kind) {
    case 'waiting':
      return turnOf(state, waiting(state.health, now, now.at + event.until - now.monotonic));
    case 'sent':
      return sentTurn(state, now, settings);
    case 'held':
      return turnOf(state, held(state.health, now));
    case 'answer':
      return answerTurn(state, event, now, settings);
    case 'nothing':
      return nothingTurn(state, now, settings);
    case 'timeout':
      return timeoutTurn(state, moment.openWatches, now, settings);
    case 'failure':
      return failureTurn(state, event, now, settings);
    case 'woken':
      return wokenTurn(state, moment, settings);
    case 'offline':
      return turnOf(state, offline(state.health, now));
    case 'left':
      return { signals: [], state, why: 'left' };
    case 'returned':
      return returnedTurn(state, now, settings);
    case 'expired': {
      const due = { reason: 'silence', index: state.place.index } as const;
      return { signals: [], why: 'left', state: { ...state, place: { ...state.place, due } } };
    }
    case 'unacknowledged': {
      const { error, after } = event;
      const trouble = { error, heldFor: 0 };
      const again = retryTurn(unacknowledgedState(state, after), trouble, { kind: 'retry' }, now, settings);
      return { ...again, why: 'ack' };
    }
    case 'decided': {
      const { decision, after } = event;
      if (decision.watch === 'resume') return resumedTurn(after, decision.from, now, settings);
      return endedTurn(after.state, now, settings, 'error' in decision ? { error: decision.error } : {});
    }
  }
}

/** A poll is sent: it is paid for, and the gap that it may have is due. */
function sentTurn<A>(
  before: WatchState,
  now: Instant,
  { minInterval, retention }: WatchSettings<A>,
): Turn<A> {
  const pace = charged(before.pace, now, minInterval);
  const due = dueGap(before.place, now, now, retention);
  const place = due === before.place.due ? before.place : { ...before.place, due };
  return { signals: [], state: { ...before, place, pace, askedAt: now } };
}

/** The machine is back: polls soon, on a new connection. A wait never becomes longer. */
function wokenTurn<A>(state: WatchState, { now, openWatches }: Moment, settings: WatchSettings<A>): Turn<A> {
  const { rest } = state.pace;
  const left = rest.until - now.monotonic;
  const isWaiting = left > 0;
  const least = isWaiting ? rest.earliest - now.monotonic : paceWait(state.pace, now, settings);
  const soon = Math.max(least, spreadWait(openWatches, settings));
  const wait = isWaiting ? Math.min(soon, left) : soon;
  // Further wakes do not shorten this wait.
  const pace = { ...state.pace, rest: restFor(now, wait) };
  const next: WatchState = { ...state, needsFreshConnection: true, pace };
  const { status } = state.health;
  if (status.nextTry === undefined) return { state: next, signals: [], why: 'woke' };
  return turnTo(next, { ...status, nextTry: now.at + wait }, now, 'woke');
}

/** A feed has a subscriber again: goes on where the last one left, but not before the service or the pace allow it. */
function returnedTurn<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Turn<A> {
  const { index, due } = state.place;
  const isGivenUp = !settings.resume && (index !== undefined || due !== undefined);
  const place = isGivenUp
    ? { ...state.place, index: undefined, due: { reason: 'unwatched', index } as const }
    : state.place;
  const wait = Math.max(0, state.pace.rest.earliest - now.monotonic);
  const pace = { ...state.pace, rest: restFor(now, Math.max(wait, paceWait(state.pace, now, settings))) };
  const { lastAnswer, attempt, error } = state.health.status;
  const isRetrying = pace.rest.until > now.monotonic && error !== undefined;
  const nextTry = now.at + pace.rest.until - now.monotonic;
  const before = { ...state.health, heldAfter: HELD_MS, isOffline: false };
  const fresh = connecting(now.at, lastAnswer);
  const { health } = isRetrying
    ? withStatus({ ...before, status: fresh }, { state: 'retrying', attempt, error, nextTry }, now)
    : { health: { ...before, status: fresh } };
  return {
    signals: [{ kind: 'status', status: health.status }],
    state: {
      ...{ place, pace, health, askedAt: state.askedAt },
      // Nothing listened for wakes meanwhile.
      needsFreshConnection: state.needsFreshConnection || hasSlept(state.askedAt, now),
    },
    why: 'returned',
  };
}

/** The state in which an answer is requested again, as if it had not come. */
function unacknowledgedState<A>(state: WatchState, after: Turn<A>): WatchState {
  const { place } = state;
  const gap = after.delivery?.gap;
  // Without an index the same answer cannot be requested again: what happens until the next poll is missed.
  const missed: DueGap = gap
    ? { reason: gap.reason, index: gap.index }
    : (place.due ?? { reason: 'unacknowledged', index: undefined });
  const due = place.index === undefined ? missed : gap ? { ...missed, emitted: gap } : place.due;
  const { lastAnswer, attempt } = state.health.status;
  const { health } = after.state;
  return {
    ...state,
    place: { ...place, due, gapAt: after.state.place.gapAt },
    health: { ...health, status: { ...health.status, lastAnswer, attempt } },
  };
}

/** `ack` has decided to continue from somewhere else. */
function resumedTurn<A>(
  { state, why }: Turn<A>,
  from: string | Checkpoint,
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const place = resumedPlace(state.place, now, resumePoint(from, settings.isIndex), settings.retention);
  // Nothing of the answer is committed, so that its poll is paid for: it may decide so for ever.
  const paidUntil = state.pace.paidUntil + (why === 'news' ? settings.minInterval : 0);
  return {
    signals: [],
    why,
    state: { ...state, place, pace: paced({ ...state.pace, paidUntil }, now, settings) },
  };
}
