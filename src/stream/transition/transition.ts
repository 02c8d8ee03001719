import { HELD_MS } from '../../error/index.js';
import { spreadWait } from '../backoff.js';
import { hasSlept, type Instant } from '../clocks.js';
import { type WatchSettings } from '../watch-settings.js';
import { resumePoint } from '../resume-point.js';
import { connecting, type Checkpoint } from '../watch-signal.js';
import { answerTransition, noNewsTransition } from './answer-transition.js';
import { endedTransition, failureTransition, timeoutTransition } from './failure-transition.js';
import { retryTransition } from './retry-transition.js';
import { charged, paced, paceWait, restFor } from './pace.js';
import { dueGap } from './gap.js';
import { resumedPosition, type DueGap, type Position } from './position.js';
import { held, heldFirst, offline, online, waiting, withStatus } from './status.js';
import {
  transitionOf,
  transitionTo,
  type Moment,
  type Transition,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';

/**
 * The laws of the watch as one pure function: from a state and what happened to a poll to the next
 * transition.
 */
export function transition<A>(
  state: WatchState,
  event: WatchEvent<A>,
  moment: Moment,
  settings: WatchSettings<A>,
): Transition<A> {
  try {
    const next = transitionAt(state, event, moment, settings);
    return settings.redelivers ? next : withUnanswered(next, event, state.position);
  } catch (error) {
    // A callback of the config threw. That is a bug, which polling again cannot fix.
    return endedTransition(state, moment.now, settings, { error });
  }
}

/** Where asking again does not give the answer again, what a poll would have brought is missed. */
function withUnanswered<A>(next: Transition<A>, event: WatchEvent<A>, { index }: Position): Transition<A> {
  const wasSent = 'wasSent' in event && event.wasSent;
  const { position } = next.state;
  if (!wasSent || index === undefined || (position.due && !position.due.emitted)) return next;
  const due = { reason: 'unanswered', index } as const;
  return { ...next, state: { ...next.state, position: { ...position, due } } };
}

function transitionAt<A>(
  state: WatchState,
  event: WatchEvent<A>,
  moment: Moment,
  settings: WatchSettings<A>,
): Transition<A> {
  const { now } = moment;
  switch (event.kind) {
    case 'waiting':
      return transitionOf(state, waiting(state.health, now, now.at + event.until - now.monotonic));
    case 'sent':
      return sentTransition(state, now, settings);
    case 'held':
      return transitionOf(
        state,
        state.position.index === undefined ? heldFirst(state.health, now) : held(state.health, now),
      );
    case 'answer':
      return answerTransition(state, event, now, settings);
    case 'completed':
      return noNewsTransition(state, now, settings);
    case 'timeout':
      return timeoutTransition(state, moment.openWatches, now, settings);
    case 'failure':
      return failureTransition(state, event, now, settings);
    case 'woken':
      return wokenTransition(state, moment, settings);
    case 'offline':
      return transitionOf(state, offline(state.health, now));
    case 'online':
      return transitionOf(state, online(state.health, now));
    case 'left':
      return { signals: [], state, why: 'paused' };
    case 'returned':
      return returnedTransition(state, now, settings);
    case 'expired': {
      const due = { reason: 'silence', index: state.position.index } as const;
      return { signals: [], why: 'paused', state: { ...state, position: { ...state.position, due } } };
    }
    case 'unacknowledged': {
      const { error, after } = event;
      const trouble = { error, heldFor: 0 };
      const again = retryTransition(
        unacknowledgedState(state, after, settings),
        trouble,
        { kind: 'retry' },
        now,
        settings,
      );
      return { ...again, why: 'ack_failed' };
    }
    case 'decided': {
      const { decision, after } = event;
      if (decision.watch === 'resume') return resumedTransition(after, decision.from, now, settings);
      return endedTransition(
        after.state,
        now,
        settings,
        'error' in decision ? { error: decision.error } : {},
      );
    }
  }
}

/** A poll is sent: it is paid for, and the gap that it may have is due. */
function sentTransition<A>(
  before: WatchState,
  now: Instant,
  { minInterval, retention }: WatchSettings<A>,
): Transition<A> {
  const pace = charged(before.pace, now, minInterval);
  const due = dueGap(before.position, now, now, retention);
  const position = due === before.position.due ? before.position : { ...before.position, due };
  return { signals: [], state: { ...before, position, pace, askedAt: now } };
}

/** The machine is back: polls soon, on a new connection. A wait never becomes longer. */
function wokenTransition<A>(
  state: WatchState,
  { now, openWatches }: Moment,
  settings: WatchSettings<A>,
): Transition<A> {
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
  if (status.nextTry === undefined) return { state: next, signals: [], why: 'woken' };
  return transitionTo(next, { ...status, nextTry: now.at + wait }, now, 'woken');
}

/**
 * A feed has a subscriber again: goes on where the last one left, but not before the service or the
 * pace allow it.
 */
function returnedTransition<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Transition<A> {
  const { index, due } = state.position;
  // The first subscriber comes back to nothing: its watch only goes on with the pace of another
  // one.
  const hasPolled = state.askedAt.monotonic > -Infinity;
  const isGivenUp = !settings.resume && hasPolled && (index !== undefined || due !== undefined);
  const position = isGivenUp
    ? { ...state.position, index: undefined, due: { reason: 'unwatched', index } as const }
    : state.position;
  const wait = Math.max(0, state.pace.rest.earliest - now.monotonic);
  const pace = { ...state.pace, rest: restFor(now, Math.max(wait, paceWait(state.pace, now, settings))) };
  const { lastAnswer, attempt, error } = state.health.status;
  const left = pace.rest.until - now.monotonic;
  const nextTry = left > 0 ? now.at + left : undefined;
  const heldAfter = state.health.isSure ? HELD_MS : state.health.heldAfter;
  const before = { ...state.health, heldAfter, isOffline: false };
  const fresh = { ...connecting(now.at, lastAnswer), nextTry };
  const { health } =
    nextTry !== undefined && error !== undefined
      ? withStatus({ ...before, status: fresh }, { state: 'retrying', attempt, error, nextTry }, now)
      : { health: { ...before, status: fresh } };
  return {
    signals: [{ kind: 'status', status: health.status }],
    state: {
      position,
      pace,
      health,
      askedAt: state.askedAt,
      // Nothing listened for wakes meanwhile.
      needsFreshConnection: state.needsFreshConnection || hasSlept(state.askedAt, now),
    },
    why: 'resumed',
  };
}

/** The state in which an answer is requested again, as if it had not come. */
function unacknowledgedState<A>(
  state: WatchState,
  after: Transition<A>,
  { redelivers }: WatchSettings<A>,
): WatchState {
  const { position } = state;
  const gap = after.delivery?.gap;
  const isGone = position.index === undefined || !redelivers;
  // Then the same answer cannot be requested again: what happens until the next poll is missed.
  const missed: DueGap = gap
    ? { reason: gap.reason, index: gap.index }
    : (position.due ?? { reason: 'unacknowledged', index: position.index });
  const due = isGone ? missed : gap ? { ...missed, emitted: gap } : position.due;
  const { lastAnswer, attempt } = state.health.status;
  const { health } = after.state;
  return {
    ...state,
    position: { ...position, due, gapAt: after.state.position.gapAt },
    health: { ...health, status: { ...health.status, lastAnswer, attempt } },
  };
}

/** `ack` has decided to continue from somewhere else. */
function resumedTransition<A>(
  { state, why }: Transition<A>,
  from: string | Checkpoint,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const position = resumedPosition(
    state.position,
    now,
    resumePoint(from, settings.isIndex),
    settings.retention,
  );
  // Nothing of the answer is committed, so that its poll is paid for: it may decide so for ever.
  const paidUntil = state.pace.paidUntil + (why === 'news' ? settings.minInterval : 0);
  return {
    signals: [],
    why,
    state: { ...state, position, pace: paced({ ...state.pace, paidUntil }, now, settings) },
  };
}
