import type { WatchSettings } from '../watch-settings.js';
import { decidedTransition, unacknowledgedTransition } from './decided-transition.js';
import { afterPoll } from './after-poll.js';
import { answerOutcome } from './answer-outcome.js';
import { dueGap } from './expiry.js';
import { failureOutcome, timeoutOutcome } from './failure-outcome.js';
import { interruptionTransition } from './interruption-transition.js';
import type { Instant } from '../timing/index.js';
import type { ResumePoint } from '../resume-point.js';
import { charged, firstPace } from './pace.js';
import { firstHealth, held, heldFirst, transitionOf, waiting } from './status.js';
import { firstPosition, LONG_AGO } from './position.js';
import type { Moment, Position, Transition, Turn, WatchEvent, WatchState } from './watch-state.js';

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
    return afterPoll(turn, { kind: 'end', end: { kind: 'error', error } });
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
      return afterPoll(turn, answerOutcome(turn, event));
    case 'completed':
      return afterPoll(turn, { kind: 'contact', at: now });
    case 'timeout':
      return afterPoll(turn, timeoutOutcome(turn));
    case 'failure':
      return afterPoll(turn, failureOutcome(turn, event));
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

/** The state before the first poll, with the pace of an earlier watch if it was kept. */
export function firstState(
  now: Instant,
  from: ResumePoint | undefined,
  retention: number,
  pace = firstPace(now),
): WatchState {
  return {
    position: firstPosition(now, from, retention),
    pace,
    health: firstHealth(now, from?.at),
    askedAt: LONG_AGO,
    needsFreshConnection: false,
  };
}
