import type { WatchSettings } from '../watch-settings.js';
import { decidedTransition, unacknowledgedTransition } from './decided-transition.js';
import { answerEnding } from './answer-ending.js';
import { dueGap } from './expiry.js';
import { failureEnding, timeoutEnding } from './failure-ending.js';
import { interruptionTransition } from './interruption-transition.js';
import { charged } from './pace.js';
import { afterPoll, endedEnding, noNewsEnding } from './poll-ending.js';
import { held, heldFirst, waiting } from './status.js';
import type { Position } from './position.js';
import {
  transitionOf,
  type Moment,
  type Transition,
  type Turn,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';

/**
 * The laws of the watch as one pure function. It returns the transition that follows from a state
 * and an event of a poll.
 */
export function transition<A>(
  state: WatchState,
  event: WatchEvent<A>,
  moment: Moment,
  settings: WatchSettings<A>,
): Transition<A> {
  const turn = { state, settings, ...moment };
  try {
    const next = transitionAt(turn, event);
    return settings.redelivers ? next : withUnanswered(next, event, state.position);
  } catch (error) {
    // A callback of the config threw. That is a bug, which polling again cannot fix.
    return afterPoll(turn, endedEnding(turn, { kind: 'error', error }));
  }
}

function transitionAt<A>(turn: Turn<A>, event: WatchEvent<A>): Transition<A> {
  const { state, now } = turn;
  switch (event.kind) {
    case 'waiting':
      return transitionOf(state, waiting(state.health, now, now.at + event.until - now.monotonic));
    case 'sent':
      return sentTransition(turn);
    case 'held': {
      const hasIndex = state.position.index !== undefined;
      return transitionOf(state, hasIndex ? held(state.health, now) : heldFirst(state.health, now));
    }
    case 'answer':
      return afterPoll(turn, answerEnding(turn, event));
    case 'completed':
      return afterPoll(turn, noNewsEnding(turn));
    case 'timeout':
      return afterPoll(turn, timeoutEnding(turn));
    case 'failure':
      return afterPoll(turn, failureEnding(turn, event));
    case 'expired':
      return expiredTransition(turn);
    case 'unacknowledged':
      return unacknowledgedTransition(turn, event);
    case 'decided':
      return decidedTransition(turn, event);
    default:
      return interruptionTransition(turn, event.kind);
  }
}

/** A poll is sent. It is charged. If it may miss events, a gap is due. */
function sentTransition<A>({ state, now, settings }: Turn<A>): Transition<A> {
  const pace = charged(state.pace, now, settings.minInterval);
  const due = dueGap(state.position, now, now, settings.retention);
  const position = due === state.position.due ? state.position : { ...state.position, due };
  return { signals: [], state: { ...state, position, pace, askedAt: now } };
}

/**
 * The queued answer is dropped when the audience of a feed returns. It is expired, or the feed
 * starts from now (`resume: false`). Then the transition of the return replaces the reason.
 */
function expiredTransition<A>({ state }: Turn<A>): Transition<A> {
  const { position } = state;
  const due = { reason: 'silence', index: position.index } as const;
  return { signals: [], why: 'paused', state: { ...state, position: { ...position, due } } };
}

/**
 * If a service does not redeliver, a poll that was sent and brought no answer may have lost one.
 */
function withUnanswered<A>(next: Transition<A>, event: WatchEvent<A>, { index }: Position): Transition<A> {
  const wasSent = 'wasSent' in event && event.wasSent;
  const { position } = next.state;
  if (!wasSent || index === undefined || (position.due && !position.due.emitted)) return next;
  const due = { reason: 'unanswered', index } as const;
  return { ...next, state: { ...next.state, position: { ...position, due } } };
}
