import { isStatusError, type Recovery } from '../../error/index.js';
import { backoffDelay, spreadOver, spreadWait } from '../backoff.js';
import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-config.js';
import { echoTurn, nothingTurn } from './answer-turn.js';
import { paced, paceWait, restFor } from './pace.js';
import { HELD_MS, waitBeforeExpiry, withoutExpired } from './place.js';
import { CHECK_CUTS, indexHint, quiet } from './status.js';
import { turnOf, turnTo, type PollFailure, type Turn, type WatchState } from './watch-state.js';

/** What ends a poll that was held for so long, in ms, and is not the service's own no, may be something between. */
const CUT_MS = 5_000;

/** Polls that something between ends all at once come again over this time, in ms. */
const CUT_SPREAD_MS = 300;

/** An index is tried once more from 7 to 2 s before it expires, in ms: many may have got theirs with the same event. */
const LAST_CHANCE_MS = { latest: 2_000, spread: 5_000 };

type Retry = Extract<Recovery, { kind: 'retry' }>;

/** A poll ended by an error. The service has said something, or something between has cut the poll off, or it failed: law 4. */
export function failureTurn<A>(
  state: WatchState,
  { error, heldFor, hasArrived = false }: PollFailure,
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const recovery = settings.recovery(error);
  const hasIndex = state.place.index !== undefined;
  switch (recovery.kind) {
    case 'idle':
      if (heldFor >= HELD_MS || settings.retention === Infinity) return nothingTurn(state, now, settings);
      return hasIndex
        ? echoTurn(state, now, settings)
        : retryTurn(state, { error, heldFor }, { kind: 'retry' }, now, settings);
    case 'index':
      if (!hasIndex) return endedTurn(state, now, settings, { error });
      return retryTurn(state, { error, heldFor }, { kind: 'retry', dropsIndex: true }, now, settings);
    case 'end':
      return endedTurn(state, now, settings, { error });
    case 'retry': {
      // A body that broke off was an answer of the service. What a proxy sends is none.
      const isBroken = hasArrived && !isStatusError(error);
      const isCut = recovery.mayBeCut === true && hasIndex && heldFor >= CUT_MS && !isBroken;
      if (!isCut) return retryTurn(state, { error, heldFor }, recovery, now, settings);
      const isOfAll = !isStatusError(error) || error.status >= 500;
      const spread = isOfAll ? spreadOver(CUT_SPREAD_MS, settings) : 0;
      return cutTurn(state, { heldFor, spread, after: recovery.after }, now, settings);
    }
  }
}

/** A poll was not answered in time. It may have been sent on a dead connection. */
export function timeoutTurn<A>(
  before: WatchState,
  openWatches: number,
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const state = { ...before, needsFreshConnection: true };
  const heldFor = now.monotonic - state.askedAt.monotonic;
  // Without an index the service answers at once.
  if (state.place.index === undefined)
    return retryTurn(state, { hint: CHECK_CUTS, heldFor }, { kind: 'retry' }, now, settings);
  return cutTurn(state, { heldFor, spread: spreadWait(openWatches, settings) }, now, settings);
}

/** How a poll was cut off: how long it had been held, how the next ones are spread, and what was asked for, in ms. */
interface Cut {
  readonly heldFor: number;
  readonly spread: number;
  readonly after?: number | undefined;
}

/** A poll was cut off, which says nothing of the service: the next one may be answered. */
function cutTurn<A>(
  before: WatchState,
  { heldFor, spread, after }: Cut,
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const place = withoutExpired(before.place, before.askedAt, now, settings.retention);
  const pace = asked(paced(before.pace, now, settings, Math.max(spread, after ?? 0)), now, after);
  const state = { ...before, place, pace, health: { ...before.health, heldAfter: heldFor + HELD_MS } };
  const nextTry = now.at + pace.rest.until - now.monotonic;
  return turnOf(state, quiet(state.health, place.wordAt, now, CHECK_CUTS, nextTry), 'cut');
}

/** A wait that was asked for, which no wake shortens. */
function asked(pace: WatchState['pace'], now: Instant, after: number | undefined): WatchState['pace'] {
  return after !== undefined ? { ...pace, rest: restFor(now, pace.rest.until - now.monotonic) } : pace;
}

/** Why a poll has to be sent again, and how long it was held, in ms. */
interface Trouble {
  readonly error?: unknown;
  readonly hint?: string;
  readonly heldFor: number;
}

/** A poll failed: another one follows after a backoff, without its index if that was the cause. */
export function retryTurn<A>(
  before: WatchState,
  { error, heldFor, ...trouble }: Trouble,
  { after, dropsIndex, offline, hint }: Retry,
  now: Instant,
  settings: WatchSettings<A>,
): Turn<A> {
  const { health } = before;
  const { index } = before.place;
  const place =
    index !== undefined && dropsIndex === true
      ? { ...before.place, index: undefined, due: { reason: 'index_refused', index } as const }
      : withoutExpired(before.place, before.askedAt, now, settings.retention);
  const attempt = health.status.attempt + 1;
  const backoff = backoffDelay(attempt, settings.backoff, settings.random(), after);
  const early = () => LAST_CHANCE_MS.latest + spreadOver(LAST_CHANCE_MS.spread, settings);
  const wait =
    after === undefined ? waitBeforeExpiry(place, backoff, now, settings.retention, early) : backoff;
  const pace = asked(paced(before.pace, now, settings, wait), now, after);
  const change = {
    state: offline ? 'offline' : 'retrying',
    ...{ attempt, nextTry: now.at + pace.rest.until - now.monotonic, error },
    hint:
      trouble.hint ??
      (health.isAnswered ? undefined : hint) ??
      (offline || after !== undefined || index === undefined
        ? undefined
        : indexHint(place.wordAt, now, settings.retention)),
  } as const;
  const next = { ...before, place, pace, health: { ...health, heldAfter: heldFor + HELD_MS } };
  return turnTo(next, change, now, after === undefined ? 'failed' : 'asked');
}

/** The watch is over. The wait is for the next subscriber of a feed. */
export function endedTurn<A>(
  state: WatchState,
  now: Instant,
  settings: WatchSettings<A>,
  end: Turn<A>['end'] & {},
): Turn<A> {
  const pace = { ...state.pace, rest: restFor(now, paceWait(state.pace, now, settings)) };
  return { end, ...turnTo({ ...state, pace }, { state: 'closed', error: end.error }, now, 'ended') };
}
