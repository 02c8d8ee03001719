import { pausesOthers } from '../../error/index.js';
import type { ResumePoint } from '../resume-point.js';
import type { Instant } from '../timing/index.js';
import type { WatchSettings } from '../watch-settings.js';
import type { PollEnd, WatchSignal } from '../watch-signal.js';
import { transitionAfterMove, stateAfterFailedAck } from './after-ack.js';
import { answerOutcome } from './answer-outcome.js';
import { failureOutcome, timeoutOutcome } from './failure-outcome.js';
import { interruptionTransition } from './interruption-transition.js';
import type { Contact, Outcome } from './outcome.js';
import { charged, firstPace, nextPace } from './pace.js';
import { checkpointAt, dueGap, firstPosition, LONG_AGO, nextPosition } from './position.js';
import { firstHealth, held, heldFirst, nextHealth, healthTransition, waiting } from './status.js';
import type {
  Delivery,
  Moment,
  Position,
  Transition,
  Turn,
  WatchEnd,
  WatchEvent,
  WatchState,
} from './watch-state.js';

/*
 * The end of a poll is classified once, as one of five outcomes. Then each part of the state
 * follows from the outcome and the parts before it.
 *
 *   outcome │ position                   pace                         status
 *   ────────┼──────────────────────────────────────────────────────────────────────────────────
 *   contact │ moves to the index of      backoff over; a poll with    live
 *           │ the answer                 news is refunded
 *   echo    │ stays, of unknown age (*)  as it was charged            stays; after 150 s without
 *           │                                                         contact: retrying, a hint
 *   cut     │ stays (*)                  as it was charged; up to     like an echo; if it is not
 *           │                            300 ms (a timeout: 1 s) or   live, it will be once a poll
 *           │                            longer, as the answer asks   is held 2 s longer than this
 *   failure │ stays (*), or is dropped   backoff, plus what the       retrying, or offline
 *           │ if it was rejected         service asks for
 *   end     │ stays                      does not matter any more     closed
 *
 *   (*) The index is dropped once the gap `silence` is due and the last contact is expired, too
 *   (law 5). An answer of another log drops it as well, whether that is contact or a failure.
 *   Without an index, what would be a cut is a failure, since the service answers at once.
 */

/**
 * The laws of the watch. Returns the transition that follows from a state and an event of a poll.
 * It changes nothing. Besides its arguments, it depends only on what the settings give: random
 * numbers, and the callbacks of the config.
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
      return healthTransition(state, waiting(state.health, now, now.at + event.until - now.monotonic));
    case 'sent':
      return sentTransition(turn);
    case 'held': {
      const hasIndex = state.position.index !== undefined;
      return healthTransition(state, hasIndex ? held(state.health, now) : heldFirst(state.health, now));
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
    case 'unacknowledged': {
      const { error, acknowledging } = event;
      const before = { ...turn, state: stateAfterFailedAck(turn, acknowledging) };
      return afterPoll(before, { kind: 'failure', error, heldFor: 0 }, 'ack_failed');
    }
    case 'decided': {
      const { decision, acknowledging } = event;
      if (decision.watch === 'resume') return transitionAfterMove(turn, acknowledging, decision.from);
      const end: WatchEnd =
        'error' in decision ? { kind: 'error', error: decision.error } : { kind: 'complete' };
      return afterPoll({ ...turn, state: acknowledging.state }, { kind: 'end', end });
    }
    default:
      return interruptionTransition(turn, event.kind);
  }
}

/** The transition after a poll. Each part of the state depends on the parts before it. */
function afterPoll<A>(turn: Turn<A>, outcome: Outcome<A>, why = whyOf(outcome)): Transition<A> {
  const { state } = turn;
  const position = nextPosition(turn, outcome);
  const pace = nextPace(turn, outcome, position);
  const { health, signals } = nextHealth(turn, outcome, position, pace);
  const needsFreshConnection =
    outcome.kind !== 'contact' &&
    (state.needsFreshConnection || ('isTimeout' in outcome && outcome.isTimeout));
  return {
    why,
    signals,
    state: { ...state, position, pace, health, needsFreshConnection },
    retryAfter: outcome.kind === 'failure' && pausesOthers(outcome.error) ? outcome.retryAfter : undefined,
    delivery: outcome.kind === 'contact' ? deliveryOf(turn, outcome, position) : undefined,
    end: outcome.kind === 'end' ? outcome.end : undefined,
  };
}

function whyOf(outcome: Outcome<unknown>): PollEnd {
  switch (outcome.kind) {
    case 'contact':
      return outcome.answered?.isNews === true ? 'news' : 'no_news';
    case 'echo':
      return 'stale';
    case 'cut':
      return 'cut';
    case 'failure':
      return outcome.retryAfter === undefined ? 'failed' : 'retry_after';
    case 'end':
      return 'ended';
  }
}

function deliveryOf<A>(
  { state, now, settings }: Turn<A>,
  outcome: Contact<A>,
  position: Position,
): Delivery<A> | undefined {
  const { answered, gap: due } = outcome;
  if (outcome.unmoved)
    return { ...outcome.unmoved, checkpoint: checkpointAt(state.position), gap: undefined, signals: [] };
  if (!answered) return undefined;
  const { answer, isEmpty, isNews, isClosed } = answered;
  const checkpoint = checkpointAt(position);
  const signal: WatchSignal<A> = isNews
    ? { kind: 'answer', answer, checkpoint }
    : { kind: 'checkpoint', checkpoint };
  const gap = due && (due.emitted ?? { reason: due.reason, index: due.index, at: now.at });
  return {
    // A repeat is acknowledged without its events.
    answer: isNews || isEmpty ? answer : settings.withoutNews(answer),
    isClosed,
    checkpoint,
    gap,
    signals: gap && !due.emitted ? [{ kind: 'gap', gap }, signal] : [signal],
  };
}

/** The request of a poll goes out. It is charged. If it may miss events, a gap is due. */
function sentTransition<A>({ state, now, settings }: Turn<A>): Transition<A> {
  const pace = charged(state.pace, now, settings.minInterval);
  const due = dueGap(state.position, now, now, settings.retention);
  const position = due === state.position.due ? state.position : { ...state.position, due };
  return { signals: [], state: { ...state, position, pace, askedAt: now } };
}

/**
 * The queued answer is dropped when the audience of a feed returns. It is expired, or the feed
 * starts from now (`resume: false`). In that case the return makes the gap `unwatched` of this one.
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
  const wasSent = event.kind === 'timeout' || ('wasSent' in event && event.wasSent);
  // What `recovery` calls no news was an answer.
  if (!wasSent || next.why === 'no_news') return next;
  const { position } = next.state;
  if (index === undefined || (position.due && !position.due.emitted)) return next;
  const due = { reason: 'unanswered', index } as const;
  return { ...next, state: { ...next.state, position: { ...position, due } } };
}

/** The state before the first poll. */
export function firstState(now: Instant, from: ResumePoint | undefined, retention: number): WatchState {
  return {
    position: firstPosition(now, from, retention),
    pace: firstPace(now),
    health: firstHealth(now, from?.at),
    askedAt: LONG_AGO,
    needsFreshConnection: false,
  };
}
