import type { Recovery } from '../error/index.js';
import { answerTurn, nothingTurn } from './answer-turn.js';
import { backoffDelay, within01 } from './backoff.js';
import type { Instant } from './clocks.js';
import { resumePoint, type WatchSettings } from './watch-config.js';
import { connecting, type WatchStatus } from './watch-signal.js';
import {
  dueGap,
  hasSlept,
  LIVE_AFTER,
  paceWait,
  resumedState,
  restFor,
  turnTo,
  type DueGap,
  type Moment,
  type PollEvent,
  type Turn,
  type WatchState,
} from './watch-state.js';

/** After this many consecutive failures that the index may have caused, it is dropped. */
const INDEX_FAILURES = 5;

/** After this long without a word of the service, in ms, the status says so. */
const QUIET = 150_000;

const CHECK_CUTS =
  'the service has not answered for a while: is something between cutting polls off before it does (after 40–60 s), or is the deadline too short?';

/** The laws of the watch as one pure function: from a state and what happened to a poll to the next turn. */
export function nextTurn<A>(
  state: WatchState,
  event: PollEvent<A>,
  moment: Moment,
  laws: WatchSettings<A>,
): Turn<A> {
  try {
    return turnAt(state, event, moment, laws);
  } catch (error) {
    // A callback of the config threw. That is a bug, which polling again cannot fix.
    return endedTurn(state, moment.now, laws, { error });
  }
}

function turnAt<A>(state: WatchState, event: PollEvent<A>, moment: Moment, laws: WatchSettings<A>): Turn<A> {
  const { now, spread } = moment;
  switch (event.kind) {
    case 'sent':
      return onSent(state, now, laws);
    case 'held':
      return onHeld(state, now);
    case 'answer':
      return answerTurn(state, event, now, laws);
    case 'nothing':
      return nothingTurn(state, now, laws);
    case 'deadline':
      return onCut({ ...state, needsFreshConnection: true }, now, laws, spreadWait(spread, laws));
    case 'outdated':
      return onCut({ ...state, needsFreshConnection: true }, now, laws);
    case 'failure': {
      const heldFor = event.isUnsent ? 0 : now.monotonic - state.askedAt.monotonic;
      return onFailure(state, event.error, laws.recovery(event.error), now, laws, heldFor);
    }
    case 'woken':
      return onWoken(state, now, laws, spread);
    case 'left':
      return { signals: [], state, why: 'left' };
    case 'returned':
      return onReturned(state, now, laws);
    case 'expired':
      return {
        signals: [],
        why: 'left',
        state: { ...state, due: { reason: 'silence', index: state.index } },
      };
    case 'unacknowledged':
      return onUnacknowledged(state, event, now, laws);
    case 'decided':
      return onDecision(event, now, laws);
  }
}

/** A poll is sent: it is paid for, and the gap that it may have is due. */
function onSent<A>(before: WatchState, now: Instant, { minInterval, retention }: WatchSettings<A>): Turn<A> {
  const paidUntil = Math.max(before.paidUntil, now.monotonic) + minInterval;
  const due = dueGap(before, now, now, retention);
  return { signals: [], state: { ...before, askedAt: now, paidUntil, due } };
}

/** A poll that was not answered, or not by the service: that says nothing of the service, and the next one may be answered. */
function onCut<A>(state: WatchState, now: Instant, laws: WatchSettings<A>, spread = 0): Turn<A> {
  const least = paceWait(state, now, laws);
  const wait = Math.max(least, spread);
  const isForgotten = state.due?.reason === 'silence' && !state.due.emitted;
  // Without an index the service answers at once.
  const isQuiet = state.index === undefined || now.monotonic - state.quietSince >= QUIET;
  const next: WatchState = {
    ...state,
    // A service that has forgotten the index may hold a poll with it. Without one, it answers at once.
    index: isForgotten ? undefined : state.index,
    indexFailures: 0,
    isHoldingProof: false,
    rest: restFor(now, wait, least),
  };
  const { attempt } = state.status;
  const trouble = { state: 'retrying', attempt, nextTry: now.at + wait, hint: CHECK_CUTS } as const;
  return isQuiet ? turnTo(next, trouble, now, 'cut') : { state: next, signals: [], why: 'cut' };
}

/** The service holds a poll: it has nothing new, and all is well. Only an answer ends the backoff. */
function onHeld(state: WatchState, now: Instant): Turn<never> {
  if (!state.isHoldingProof || state.status.state === 'live') return { signals: [], state };
  return turnTo(state, { state: 'live', attempt: state.status.attempt }, now);
}

/** The machine is back: polls soon, on a new connection. A wait never becomes longer. */
function onWoken<A>(state: WatchState, now: Instant, laws: WatchSettings<A>, spread: number): Turn<A> {
  const left = state.rest.until - now.monotonic;
  const isWaiting = left > 0;
  const least = isWaiting ? state.rest.least - now.monotonic : paceWait(state, now, laws);
  const soon = Math.max(least, spreadWait(spread, laws));
  const wait = isWaiting ? Math.min(soon, left) : soon;
  // Further wakes do not shorten this wait.
  const next: WatchState = { ...state, needsFreshConnection: true, rest: restFor(now, wait) };
  const { status } = state;
  if (status.nextTry === undefined) return { state: next, signals: [], why: 'woke' };
  return turnTo(next, { ...status, nextTry: now.at + wait }, now, 'woke');
}

/** A feed has a subscriber again: goes on where the last one left, but not before the service or the pace allow it. */
function onReturned<A>(state: WatchState, now: Instant, laws: WatchSettings<A>): Turn<A> {
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
  now: Instant,
  laws: WatchSettings<A>,
  heldFor = 0,
): Turn<A> {
  if ((recovery.kind === 'idle' || recovery.kind === 'cut') && heldFor >= (recovery.ifHeldFor ?? 0)) {
    return recovery.kind === 'idle' ? nothingTurn(state, now, laws) : onCut(state, now, laws);
  }
  const least = paceWait(state, now, laws);
  if (recovery.kind === 'end' || (recovery.kind === 'index' && state.index === undefined)) {
    return endedTurn(state, now, laws, { error });
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
  const next: WatchState = {
    ...state,
    ...(isDropped && { index: undefined, due: { reason: 'index_refused', index: state.index } }),
    indexFailures: isDropped ? 0 : indexFailures,
    isHoldingProof: heldFor < LIVE_AFTER,
    rest: restFor(now, wait, after === undefined ? least : wait),
  };
  return turnTo(next, change, now, after === undefined ? 'failed' : 'asked');
}

/** `ack` has decided: the watch ends, or continues from somewhere else. */
function onDecision<A>(
  { after, decision }: PollEvent<A> & { kind: 'decided' },
  now: Instant,
  laws: WatchSettings<A>,
): Turn<A> {
  const { state } = after;
  if (decision.watch === 'resume') {
    // Nothing of the answer is committed, so that its poll is paid for: it may decide so for ever.
    const paidUntil = state.paidUntil + (after.why === 'news' ? laws.minInterval : 0);
    const from = resumePoint(decision.from);
    const next = { ...resumedState(state, now, from, laws.retention), paidUntil };
    const resumed = { ...next, rest: restFor(now, paceWait(next, now, laws)) };
    return { signals: [], state: resumed, ...(after.why && { why: after.why }) };
  }
  return endedTurn(state, now, laws, 'error' in decision ? { error: decision.error } : {});
}

/** `ack` failed: continues as if there had been no answer, so that it is requested again, with increasing waits. */
function onUnacknowledged<A>(
  state: WatchState,
  { error, after }: PollEvent<A> & { kind: 'unacknowledged' },
  now: Instant,
  laws: WatchSettings<A>,
): Turn<A> {
  const gap = after.delivery?.gap;
  // Without an index the same answer cannot be requested again: what happens until the next poll is missed.
  const missed: DueGap = gap
    ? { reason: gap.reason, index: gap.index }
    : (state.due ?? { reason: 'unacknowledged', index: undefined });
  const { lastAnswer, attempt } = state.status;
  const before: WatchState = {
    ...state,
    due: state.index === undefined ? missed : gap ? { ...missed, emitted: gap } : state.due,
    coveredAt: after.state.coveredAt,
    quietSince: after.state.quietSince,
    status: { ...after.state.status, lastAnswer, attempt },
  };
  return { ...onFailure(before, error, { kind: 'retry' }, now, laws), why: 'ack' };
}

/** The watch is over. The wait is for the next subscriber of a feed. */
function endedTurn<A>(
  state: WatchState,
  now: Instant,
  laws: WatchSettings<A>,
  end: Turn<A>['end'] & {},
): Turn<A> {
  const rest = restFor(now, paceWait(state, now, laws));
  return { end, ...turnTo({ ...state, rest }, { state: 'closed', error: end.error }, now, 'ended') };
}

/** How long a watch that is one of many waits before a poll that all of them send at once, in ms. */
function spreadWait<A>(spread: number, { random }: WatchSettings<A>): number {
  return Math.round(within01(random()) * spread);
}
