import type { Recovery } from '../../error/index.js';
import { answerTurn } from './answer-turn.js';
import { backoffDelay, within01 } from '../backoff.js';
import { changeStatus } from './change-status.js';
import { paceWithoutNews, restAfter, restLeft } from './poll-pace.js';
import { isForgotten } from './watch-index.js';
import type { On, Outcome, Turn, WatchLaws, WatchState } from './watch-turn.js';

/** After this many consecutive failures that the index may have caused, it is dropped. */
const INDEX_FAILURES = 5;

/** The laws of the watch as one pure function: from a state and the outcome of a poll to the next turn. */
export function nextTurn<A>(state: WatchState, outcome: Outcome<A>, laws: WatchLaws<A>): Turn<A> {
  switch (outcome.kind) {
    case 'answer':
      return answerTurn(state, outcome, laws);
    case 'nothing':
      return onNothing(state, outcome, laws);
    case 'deadline':
      return onDeadline(state, outcome, laws);
    case 'woken':
      return onWoken(state, outcome, laws);
    case 'failure':
      return onFailure(state, outcome.error, laws.recovery(outcome.error), outcome, laws);
    case 'unacknowledged':
      return onUnacknowledged(state, outcome, laws);
  }
}

/** The service answered that there is nothing new: keeps polling from the same index, which it still knows. */
function onNothing<A>(state: WatchState, outcome: Outcome<A>, laws: WatchLaws<A>): Turn<A> {
  const { status, signals } = changeStatus(state.status, { state: 'live' }, outcome.now.at);
  return { ...onIdle(state, outcome, laws, status), signals };
}

/** Nothing failed, and there is nothing new: the service would have said so, unless it has forgotten the index. */
function onIdle<A>(
  state: WatchState,
  outcome: Outcome<A>,
  laws: WatchLaws<A>,
  status = state.status,
): Turn<A> {
  const { askedAt, now } = outcome;
  const { wait, pace } = paceWithoutNews(state.pace, now.at, laws);
  return {
    signals: [],
    state: {
      ...state,
      coveredUntil: isForgotten(state, askedAt, laws.retention) ? state.coveredUntil : now,
      isAnswered: true,
      ...{ indexFailures: 0, needsFreshConnection: false, isStalled: false },
      pace,
      rest: restAfter(now.at, wait),
      status: { ...status, attempt: 0 },
    },
    why: 'nothing',
  };
}

/**
 * Not a byte came in time. That says nothing about the index, but the connection may be dead, and others with it. Polls of
 * many watches end at the same time, so that the next ones are spread.
 */
function onDeadline<A>(state: WatchState, outcome: Outcome<A>, laws: WatchLaws<A>): Turn<A> {
  const { now, chance, spread } = outcome;
  const { wait: least, pace } = paceWithoutNews(state.pace, now.at, laws);
  const wait = Math.max(least, Math.round(within01(chance) * spread));
  const { status, signals } = changeStatus(
    state.status,
    { state: 'retrying', attempt: state.status.attempt },
    now.at,
  );
  return {
    signals,
    state: {
      ...state,
      ...{ indexFailures: 0, mayBeReplay: true, needsFreshConnection: true, isStalled: true },
      pace,
      rest: restAfter(now.at, wait, least),
      status,
    },
    why: 'nothing',
  };
}

/** The machine is back: polls soon, on a new connection. If it was waiting, not later than it would have without the wake. */
function onWoken<A>(state: WatchState, outcome: Outcome<A>, laws: WatchLaws<A>): Turn<A> {
  const { now, chance, spread } = outcome;
  const left = restLeft(state.rest, now.at);
  const isWaiting = left.wait > 0;
  const { wait: least, pace } = isWaiting
    ? { wait: left.least, pace: state.pace }
    : paceWithoutNews(state.pace, now.at, laws);
  const soon = Math.max(least, Math.round(within01(chance) * spread));
  const wait = isWaiting ? Math.min(soon, left.wait) : soon;
  const before = state.status;
  const { status, signals } =
    before.nextTry === undefined
      ? { status: before, signals: [] }
      : changeStatus(before, { ...before, nextTry: now.at + wait }, now.at);
  return {
    signals,
    state: {
      ...state,
      mayBeReplay: true,
      needsFreshConnection: true,
      pace,
      rest: restAfter(now.at, wait, least),
      status,
    },
    why: 'woke',
  };
}

/** A failed poll: continues, continues without the index, or ends. */
function onFailure<A>(
  state: WatchState,
  error: unknown,
  recovery: Recovery,
  outcome: Outcome<A>,
  laws: WatchLaws<A>,
): Turn<A> {
  const { now, askedAt, chance } = outcome;
  if (recovery.kind === 'idle') {
    const { ifHeldFor } = recovery;
    // A proxy that cut the poll says nothing about the service, unlike the service's own word.
    if (ifHeldFor === undefined) return onNothing(state, outcome, laws);
    if (now.at - askedAt.at >= ifHeldFor) return onIdle(state, outcome, laws);
  }
  if (recovery.kind === 'end' || (recovery.kind === 'index' && state.index === undefined)) {
    const { status, signals } = changeStatus(state.status, { state: 'closed', error }, now.at);
    // The wait is not for this watch, but for whoever continues it.
    const { wait, pace } = paceWithoutNews(state.pace, now.at, laws);
    return {
      signals,
      state: { ...state, pace, rest: restAfter(now.at, wait), status },
      why: 'ended',
      end: { error },
    };
  }

  const { after, blamesIndex, dropsIndex, offline, hint }: Extract<Recovery, { kind: 'retry' }> =
    recovery.kind === 'retry' ? recovery : { kind: 'retry', dropsIndex: recovery.kind === 'index' };
  const indexFailures = blamesIndex ? state.indexFailures + 1 : 0;
  const isDropped = state.index !== undefined && (dropsIndex === true || indexFailures >= INDEX_FAILURES);

  const attempt = state.status.attempt + 1;
  const { wait: least, pace } = paceWithoutNews(state.pace, now.at, laws);
  const wait = Math.max(least, backoffDelay(attempt, laws.backoff, chance, after));
  const change = {
    state: offline ? 'offline' : 'retrying',
    ...{ attempt, nextTry: now.at + wait, error },
    hint: state.isAnswered ? undefined : hint,
  } as const;
  const { status, signals } = changeStatus(state.status, change, now.at);
  return {
    signals,
    state: {
      ...state,
      index: isDropped ? undefined : state.index,
      gap: isDropped ? { reason: 'index_refused', index: state.index } : state.gap,
      ...{ indexFailures: isDropped ? 0 : indexFailures, mayBeReplay: true },
      pace,
      rest: restAfter(now.at, wait, after === undefined ? least : wait),
      status,
    },
    why: after === undefined ? 'failed' : 'asked',
  };
}

/** `ack` failed: continues as if there had been no answer, so that it is requested again, with increasing waits. */
function onUnacknowledged<A>(
  state: WatchState,
  outcome: On<A, 'unacknowledged'>,
  laws: WatchLaws<A>,
): Turn<A> {
  const { lastAnswer, attempt } = state.status;
  // Without an index the same answer cannot be requested again: what happens until the next poll is missed.
  const missed =
    state.index === undefined ? ({ reason: 'unacknowledged', index: undefined } as const) : undefined;
  const before = { ...state, gap: state.gap ?? missed, status: { ...outcome.told, lastAnswer, attempt } };
  return { ...onFailure(before, outcome.error, { kind: 'retry' }, outcome, laws), why: 'ack' };
}
