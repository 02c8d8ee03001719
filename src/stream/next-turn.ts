import type { Recovery } from '../error/index.js';
import { answerTurn, nothingTurn } from './answer-turn.js';
import { backoffDelay, within01 } from './backoff.js';
import type { Instant } from './clocks.js';
import { resumePoint, type WatchSettings } from './watch-config.js';
import { changeStatus, connecting, type WatchStatus } from './watch-signal.js';
import {
  askedState,
  hasSlept,
  LIVE_AFTER,
  paceWait,
  resumedState,
  restFor,
  type Outcome,
  type Turn,
  type WatchState,
} from './watch-state.js';

/** After this many consecutive failures that the index may have caused, it is dropped. */
const INDEX_FAILURES = 5;

/** If the service has said nothing of its own for this long, in ms, a person should know. */
const QUIET = 150_000;

const CHECK_CUTS =
  'the service has not answered for a while: is something between cutting polls off before it does (after 40–60 s), or is the deadline too short?';

/** The laws of the watch as one pure function: from a state and what happened to a poll to the next turn. */
export function nextTurn<A>(state: WatchState, outcome: Outcome<A>, laws: WatchSettings<A>): Turn<A> {
  switch (outcome.kind) {
    case 'sent':
      return { signals: [], state: askedState(state, outcome.now, laws) };
    case 'held':
      return onHeld(state, outcome.now);
    case 'answer':
      return answerTurn(state, outcome, laws);
    case 'nothing':
      return nothingTurn(state, outcome, laws);
    case 'deadline':
      return onCut({ ...state, needsFreshConnection: true }, outcome, laws, spreadWait(outcome, laws));
    case 'outdated':
      return onCut({ ...state, needsFreshConnection: true }, outcome, laws);
    case 'failure':
      return onFailure(state, outcome.error, laws.recovery(outcome.error), outcome, laws);
    case 'woken':
      return onWoken(state, outcome, laws);
    case 'left':
      return { signals: [], state, why: 'left' };
    case 'returned':
      return onReturned(state, outcome, laws);
    case 'dropped':
      return {
        signals: [],
        state: { ...state, due: { reason: 'silence', index: state.index } },
        why: 'left',
      };
    case 'unacknowledged':
      return onUnacknowledged(state, outcome, laws);
    case 'decided':
      return onDecision(outcome, laws);
  }
}

/** A poll that was not answered, or not by the service: that says nothing of the service, and the next one may be answered. */
function onCut<A>(state: WatchState, { now }: Outcome<A>, laws: WatchSettings<A>, spread = 0): Turn<A> {
  const least = paceWait(state, now, laws);
  const wait = Math.max(least, spread);
  const isForgotten = state.due?.reason === 'silence' && !state.due.emitted;
  // Without an index the service answers at once.
  const isQuiet = state.index === undefined || now.monotonic - state.quietSince >= QUIET;
  const { attempt } = state.status;
  const trouble = { state: 'retrying', attempt, nextTry: now.at + wait, hint: CHECK_CUTS } as const;
  const changed = isQuiet
    ? changeStatus(state.status, trouble, now.at)
    : { status: state.status, signals: [] };
  return {
    signals: changed.signals,
    state: {
      ...state,
      // A service that has forgotten the index may hold a poll with it. Without one, it answers at once.
      index: isForgotten ? undefined : state.index,
      ...{ indexFailures: 0, isHoldingProof: false },
      rest: restFor(now, wait, least),
      status: changed.status,
    },
    why: 'cut',
  };
}

/** The service holds a poll: it has nothing new, and all is well. Only an answer ends the backoff. */
function onHeld(state: WatchState, now: Instant): Turn<never> {
  if (!state.isHoldingProof || state.status.state === 'live') return { signals: [], state };
  const { status, signals } = changeStatus(
    state.status,
    { state: 'live', attempt: state.status.attempt },
    now.at,
  );
  return { signals, state: { ...state, status } };
}

/** The machine is back: polls soon, on a new connection. If it was waiting, not later than it would have without the wake. */
function onWoken<A>(state: WatchState, outcome: Outcome<A>, laws: WatchSettings<A>): Turn<A> {
  const { now } = outcome;
  const left = state.rest.until - now.monotonic;
  const isWaiting = left > 0;
  const least = isWaiting ? Math.max(0, state.rest.least - now.monotonic) : paceWait(state, now, laws);
  const soon = Math.max(least, spreadWait(outcome, laws));
  const wait = isWaiting ? Math.min(soon, left) : soon;
  const { status: before } = state;
  const { status, signals } =
    before.nextTry === undefined
      ? { status: before, signals: [] }
      : changeStatus(before, { ...before, nextTry: now.at + wait }, now.at);
  const rest = { ...restFor(now, wait, least), isWoken: true };
  return { signals, state: { ...state, needsFreshConnection: true, rest, status }, why: 'woke' };
}

/** A feed has a subscriber again: goes on where the last one left, but not before the service or the pace allow it. */
function onReturned<A>(state: WatchState, { now }: Outcome<A>, laws: WatchSettings<A>): Turn<A> {
  const { index, due } = state;
  const isGivenUp = !laws.resume && (index !== undefined || due !== undefined);
  const wait = Math.max(0, state.rest.least - now.monotonic, paceWait(state, now, laws));
  const { lastAnswer, attempt, error } = state.status;
  const fresh = connecting(now.at, lastAnswer);
  const status: WatchStatus =
    wait > 0 && error !== undefined
      ? { ...fresh, state: 'retrying', attempt, error, nextTry: now.at + wait }
      : fresh;
  return {
    signals: [{ kind: 'status', status }],
    state: {
      ...state,
      ...(isGivenUp && { index: undefined, due: { reason: 'unwatched', index } }),
      ...{ indexFailures: 0, isHoldingProof: true, quietSince: now.monotonic },
      // Nothing listened for wakes meanwhile.
      needsFreshConnection: state.needsFreshConnection || hasSlept(state.askedAt, now),
      rest: restFor(now, wait),
      status,
    },
    why: 'returned',
  };
}

/** A failed poll: continues, continues without the index, or ends. */
function onFailure<A>(
  state: WatchState,
  error: unknown,
  recovery: Recovery,
  outcome: Outcome<A>,
  laws: WatchSettings<A>,
): Turn<A> {
  const { now } = outcome;
  const heldFor = now.monotonic - state.askedAt.monotonic;
  if ((recovery.kind === 'idle' || recovery.kind === 'cut') && heldFor >= (recovery.ifHeldFor ?? 0)) {
    return recovery.kind === 'idle' ? nothingTurn(state, outcome, laws) : onCut(state, outcome, laws);
  }
  const least = paceWait(state, now, laws);
  if (recovery.kind === 'end' || (recovery.kind === 'index' && state.index === undefined)) {
    const { status, signals } = changeStatus(state.status, { state: 'closed', error }, now.at);
    // The wait is for whoever subscribes to the feed again.
    return { signals, state: { ...state, rest: restFor(now, least), status }, why: 'ended', end: { error } };
  }

  const { after, blamesIndex, dropsIndex, offline, hint }: Extract<Recovery, { kind: 'retry' }> =
    recovery.kind === 'retry' ? recovery : { kind: 'retry', dropsIndex: recovery.kind === 'index' };
  const indexFailures = blamesIndex ? state.indexFailures + 1 : 0;
  const isDropped = state.index !== undefined && (dropsIndex === true || indexFailures >= INDEX_FAILURES);
  const attempt = state.status.attempt + 1;
  const wait = Math.max(least, backoffDelay(attempt, laws.backoff, laws.random(), after));
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
      ...(isDropped && { index: undefined, due: { reason: 'index_refused', index: state.index } }),
      indexFailures: isDropped ? 0 : indexFailures,
      isHoldingProof: heldFor < LIVE_AFTER,
      rest: restFor(now, wait, after === undefined ? least : wait),
      status,
    },
    why: after === undefined ? 'failed' : 'asked',
  };
}

/** `ack` has decided: the watch ends, or continues from somewhere else. */
function onDecision<A>(
  { after, decision, now }: Outcome<A> & { kind: 'decided' },
  { retention }: WatchSettings<A>,
): Turn<A> {
  const { state } = after;
  if (decision.watch === 'resume') {
    const resumed = resumedState(state, now, resumePoint('from', decision.from), retention);
    return { signals: [], state: resumed, ...(after.why && { why: after.why }) };
  }
  const { error } = decision;
  const { status, signals } = changeStatus(state.status, { state: 'closed', error }, now.at);
  return { signals, state: { ...state, status }, why: 'ended', end: 'error' in decision ? { error } : {} };
}

/** `ack` failed: continues as if there had been no answer, so that it is requested again, with increasing waits. */
function onUnacknowledged<A>(
  state: WatchState,
  outcome: Outcome<A> & { kind: 'unacknowledged' },
  laws: WatchSettings<A>,
): Turn<A> {
  const { now, error, after } = outcome;
  const gap = after.delivery?.gap;
  // Without an index the same answer cannot be requested again: what happens until the next poll is missed.
  const missed =
    state.index === undefined ? ({ reason: 'unacknowledged', index: undefined } as const) : undefined;
  const { lastAnswer, attempt } = state.status;
  const before: WatchState = {
    ...state,
    due: gap ? { reason: gap.reason, index: gap.index, emitted: gap } : (state.due ?? missed),
    coveredAt: after.state.coveredAt,
    quietSince: after.state.quietSince,
    status: { ...after.state.status, lastAnswer, attempt },
  };
  return { ...onFailure(before, error, { kind: 'retry' }, outcome, laws), why: 'ack' };
}

/** How long a watch that is one of many waits before a poll that all of them send at once, in ms. */
function spreadWait(
  { spread }: { readonly spread: number },
  { random }: Pick<WatchSettings<never>, 'random'>,
): number {
  return Math.round(within01(random()) * spread);
}
