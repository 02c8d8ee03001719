import {
  describe,
  HELD_MS,
  InputError,
  isStatusError,
  MAX_WAIT_MS,
  type Recovery,
} from '../../error/index.js';
import { spreadOver, spreadWait } from '../backoff.js';
import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-settings.js';
import { noNewsTransition } from './answer-transition.js';
import { CUT_SPREAD_MS, cutTransition, isCut } from './cut-transition.js';
import { paceWait, restFor } from './pace.js';
import { retryTransition } from './retry-transition.js';
import { staleTransition } from './stale-transition.js';
import { CHECK_CUTS } from './status.js';
import { transitionTo, type PollFailure, type Transition, type WatchState } from './watch-state.js';

/**
 * A poll ended by an error. The service has said something, or something between has cut the poll
 * off, or it failed: law 4.
 */
export function failureTransition<A>(
  state: WatchState,
  { error, heldFor, hasArrived = false }: PollFailure,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const recovery = (settings.recovery(error) as Recovery | undefined) ?? ({} as Recovery);
  const hasIndex = state.position.index !== undefined;
  switch (recovery.kind) {
    case 'no_news':
      if (heldFor >= HELD_MS || settings.retention === Infinity)
        return noNewsTransition(state, now, settings);
      return hasIndex
        ? staleTransition(state, now, settings)
        : retryTransition(state, { error, heldFor }, { kind: 'retry' }, now, settings);
    case 'index':
      if (!hasIndex) return endedTransition(state, now, settings, { error });
      return retryTransition(state, { error, heldFor }, { kind: 'retry', dropsIndex: true }, now, settings);
    case 'end':
      return endedTransition(state, now, settings, { error });
    case 'retry': {
      if (!isCut(recovery, { error, heldFor, hasArrived }, hasIndex))
        return retryTransition(state, { error, heldFor }, recovery, now, settings);
      const isOfAll = !isStatusError(error) || error.status >= 500;
      const spread = isOfAll ? spreadOver(CUT_SPREAD_MS, settings) : 0;
      const after = atMost(isLimited(error) ? MAX_WAIT_MS : MAX_WAIT_OF_CUT_MS, recovery.after);
      return cutTransition(state, { heldFor, spread, after }, now, settings);
    }
    default:
      throw new InputError(
        'the kind of recovery',
        'a known one',
        describe((recovery as { kind?: unknown }).kind),
      );
  }
}

/**
 * How long a page that says nothing of the service may ask to wait after a cut, in ms: nothing is
 * polled meanwhile.
 */
const MAX_WAIT_OF_CUT_MS = 1_000;

function isLimited(error: unknown): boolean {
  return isStatusError(error) && error.status === 429;
}

function atMost(most: number, wait: number | undefined): number | undefined {
  return wait === undefined ? undefined : Math.min(most, wait);
}

/** A poll was not answered in time. It may have been sent on a dead connection. */
export function timeoutTransition<A>(
  before: WatchState,
  openWatches: number,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const state = { ...before, needsFreshConnection: true };
  const heldFor = now.monotonic - state.askedAt.monotonic;
  // Without an index the service answers at once.
  if (state.position.index === undefined)
    return retryTransition(state, { hint: CHECK_CUTS, heldFor }, { kind: 'retry' }, now, settings);
  return cutTransition(state, { heldFor, spread: spreadWait(openWatches, settings) }, now, settings);
}

/** The watch is over. The wait is for the next subscriber of a feed. */
export function endedTransition<A>(
  state: WatchState,
  now: Instant,
  settings: WatchSettings<A>,
  end: Transition<A>['end'] & {},
): Transition<A> {
  const pace = { ...state.pace, rest: restFor(now, paceWait(state.pace, now, settings)) };
  return { end, ...transitionTo({ ...state, pace }, { state: 'closed', error: end.error }, now, 'ended') };
}
