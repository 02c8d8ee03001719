import type { Recovery } from '../error/index.js';
import { resumedTurn, unacknowledgedState } from './acknowledge.js';
import { answerTurn, nothingTurn } from './answer-turn.js';
import { backoffDelay } from './backoff.js';
import { hasSlept, type Instant } from './clocks.js';
import { dueGap } from './gap.js';
import { charged, paceWait, restFor } from './pace.js';
import { spreadWait, wokenTurn } from './wake.js';
import type { WatchSettings } from './watch-config.js';
import { connecting, type WatchStatus } from './watch-signal.js';
import {
  HELD_AFTER,
  turnTo,
  type Moment,
  type Turn,
  type WatchEvent,
  type WatchState,
} from './watch-state.js';

/** After this many consecutive failures that the index may have caused, it is dropped. */
const INDEX_FAILURES = 5;

/** After this long without a word of the service, in ms, the status says so. */
const QUIET = 150_000;

const CHECK_CUTS =
  'the service has not answered for a while: is something between cutting polls off before it does (after 40–60 s), or is the timeout too short?';

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
    case 'sent':
      return onSent(state, now, settings);
    case 'held':
      return onHeld(state, now);
    case 'answer':
      return answerTurn(state, event, now, settings);
    case 'nothing':
      return nothingTurn(state, now, settings);
    case 'timeout':
      return onCut(
        { ...state, needsFreshConnection: true },
        now,
        settings,
        spreadWait(moment.openWatches, settings),
      );
    case 'outdated':
      return onCut({ ...state, needsFreshConnection: true }, now, settings);
    case 'failure': {
      const heldFor = event.isUnsent ? 0 : now.monotonic - state.askedAt.monotonic;
      return onFailure(state, event.error, settings.recovery(event.error), now, settings, heldFor);
    }
    case 'woken':
      return wokenTurn(state, moment, settings);
    case 'left':
      return { signals: [], state, why: 'left' };
    case 'returned':
      return onReturned(state, now, settings);
    case 'expired':
      return {
        signals: [],
        why: 'left',
        state: { ...state, due: { reason: 'silence', index: state.index } },
      };
    case 'unacknowledged':
      return {
        ...onFailure(unacknowledgedState(state, event.after), event.error, { kind: 'retry' }, now, settings),
        why: 'ack',
      };
    case 'decided':
      if (event.decision.watch === 'resume') {
        return resumedTurn(event.after, event.decision.from, now, settings);
      }
      return endedTurn(
        event.after.state,
        now,
        settings,
        'error' in event.decision ? { error: event.decision.error } : {},
      );
  }
}

/** A poll is sent: it is paid for, and the gap that it may have is due. */
function onSent<A>(before: WatchState, now: Instant, { minInterval, retention }: WatchSettings<A>): Turn<A> {
  const paidUntil = charged(before, now, minInterval);
  const due = dueGap(before, now, now, retention);
  return { signals: [], state: { ...before, askedAt: now, paidUntil, due } };
}

/** A poll that was not answered, or not by the service: that says nothing of the service, and the next one may be answered. */
function onCut<A>(state: WatchState, now: Instant, settings: WatchSettings<A>, spread = 0): Turn<A> {
  const least = paceWait(state, now, settings);
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

/** A feed has a subscriber again: goes on where the last one left, but not before the service or the pace allow it. */
function onReturned<A>(state: WatchState, now: Instant, settings: WatchSettings<A>): Turn<A> {
  const { index, due } = state;
  const isGivenUp = !settings.resume && (index !== undefined || due !== undefined);
  const wait = Math.max(0, state.rest.earliest - now.monotonic, paceWait(state, now, settings));
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
  settings: WatchSettings<A>,
  heldFor = 0,
): Turn<A> {
  if ((recovery.kind === 'idle' || recovery.kind === 'cut') && heldFor >= (recovery.ifHeldFor ?? 0)) {
    return recovery.kind === 'idle' ? nothingTurn(state, now, settings) : onCut(state, now, settings);
  }
  const least = paceWait(state, now, settings);
  if (recovery.kind === 'end' || (recovery.kind === 'index' && state.index === undefined)) {
    return endedTurn(state, now, settings, { error });
  }

  const { after, blamesIndex, dropsIndex, offline, hint }: Extract<Recovery, { kind: 'retry' }> =
    recovery.kind === 'retry' ? recovery : { kind: 'retry', dropsIndex: recovery.kind === 'index' };
  const indexFailures = blamesIndex ? state.indexFailures + 1 : 0;
  const isDropped = state.index !== undefined && (dropsIndex === true || indexFailures >= INDEX_FAILURES);
  const attempt = state.status.attempt + 1;
  const wait = Math.max(least, backoffDelay(attempt, settings.backoff, settings.random(), after));
  const change = {
    state: offline ? 'offline' : 'retrying',
    ...{ attempt, nextTry: now.at + wait, error },
    hint: state.isAnswered ? undefined : hint,
  } as const;
  const next: WatchState = {
    ...state,
    ...(isDropped && { index: undefined, due: { reason: 'index_refused', index: state.index } }),
    indexFailures: isDropped ? 0 : indexFailures,
    isHoldingProof: heldFor < HELD_AFTER,
    rest: restFor(now, wait, after === undefined ? least : wait),
  };
  return turnTo(next, change, now, after === undefined ? 'failed' : 'asked');
}

/** The watch is over. The wait is for the next subscriber of a feed. */
function endedTurn<A>(
  state: WatchState,
  now: Instant,
  settings: WatchSettings<A>,
  end: Turn<A>['end'] & {},
): Turn<A> {
  const rest = restFor(now, paceWait(state, now, settings));
  return { end, ...turnTo({ ...state, rest }, { state: 'closed', error: end.error }, now, 'ended') };
}
