import { describe, HELD_MS, InputError, isStatusError, type Recovery } from '../../error/index.js';
import { backoffDelay, spreadOver, spreadWait } from '../backoff.js';
import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';
import { noNewsTransition } from './answer-transition.js';
import { CUT_SPREAD_MS, cutTransition, isCut } from './cut-transition.js';
import { waitBeforeExpiry, withoutExpired } from './gap.js';
import { asked, paced, paceWait, restFor } from './pace.js';
import { staleTransition } from './stale-transition.js';
import { CHECK_CUTS, indexHint, unheard } from './status.js';
import { transitionTo, type PollFailure, type Transition, type WatchState } from './watch-state.js';

/** An index is tried once more from 7 to 2 s before it expires, in ms: many may have got theirs with the same event. */
const LAST_CHANCE_MS = { latest: 2_000, spread: 5_000 };

type Retry = Extract<Recovery, { kind: 'retry' }>;

/** A poll ended by an error. The service has said something, or something between has cut the poll off, or it failed: law 4. */
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
      return cutTransition(state, { heldFor, spread, after: recovery.after }, now, settings);
    }
    default:
      throw new InputError(
        'the kind of recovery',
        'a known one',
        describe((recovery as { kind?: unknown }).kind),
      );
  }
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

/** Why a poll has to be sent again, and how long it was held, in ms. */
interface RetryCause {
  readonly error?: unknown;
  readonly hint?: string;
  readonly heldFor: number;
}

/** A poll failed: another one follows after a backoff, without its index if that was the cause. */
export function retryTransition<A>(
  before: WatchState,
  { error, heldFor, ...trouble }: RetryCause,
  { after, dropsIndex, offline, hint }: Retry,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const { health } = before;
  const { index } = before.position;
  const position =
    index !== undefined && dropsIndex === true
      ? { ...before.position, index: undefined, due: { reason: 'index_rejected', index } as const }
      : withoutExpired(before.position, before.askedAt, now, settings.retention);
  const attempt = health.status.attempt + 1;
  const backoff = backoffDelay(attempt, settings.backoff, settings.random(), after);
  const early = () => LAST_CHANCE_MS.latest + spreadOver(LAST_CHANCE_MS.spread, settings);
  const wait =
    after === undefined ? waitBeforeExpiry(position, backoff, now, settings.retention, early) : backoff;
  const pace = asked(paced(before.pace, now, settings, wait), now, after);
  const change = {
    state: offline ? 'offline' : 'retrying',
    ...{ attempt, nextTry: now.at + pace.rest.until - now.monotonic, error },
    hint:
      trouble.hint ??
      (health.isAnswered ? undefined : hint) ??
      (offline || after !== undefined || index === undefined
        ? undefined
        : indexHint(position.contactAt, now, settings.retention)),
  } as const;
  const next = { ...before, position, pace, health: unheard(health, heldFor) };
  return transitionTo(next, change, now, after === undefined ? 'failed' : 'retry_after');
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
