import { isDecodeError, isStatusError, type Recovery } from '../../error/index.js';
import type { Instant } from '../clocks.js';
import type { WatchSettings } from '../watch-settings.js';
import { withoutExpired } from './gap.js';
import { asked, paced } from './pace.js';
import { CHECK_CUTS, quiet, unheard } from './status.js';
import { transitionOf, type PollFailure, type Transition, type WatchState } from './watch-state.js';

/**
 * What ends a poll that was held for so long, in ms, and is not the service's own no, may be
 * something between.
 */
const CUT_MS = 5_000;

/** Polls that something between ends all at once come again over this time, in ms. */
export const CUT_SPREAD_MS = 300;

/** Whether something between has ended a poll, and not the service: it had been held. */
export function isCut(
  { mayBeCut }: Extract<Recovery, { kind: 'retry' }>,
  { error, heldFor, hasArrived = false }: Omit<PollFailure, 'kind'>,
  hasIndex: boolean,
): boolean {
  // A body that broke off was an answer of the service. What a proxy sends is none.
  const isBroken = hasArrived && !isStatusError(error) && !isDecodeError(error);
  return mayBeCut === true && hasIndex && heldFor >= CUT_MS && !isBroken;
}

/**
 * How a poll was cut off: how long it had been held, how the next ones are spread, and what was
 * asked for, in ms.
 */
interface Cut {
  readonly heldFor: number;
  readonly spread: number;
  readonly after?: number | undefined;
}

/** A poll was cut off, which says nothing of the service: the next one may be answered. */
export function cutTransition<A>(
  before: WatchState,
  { heldFor, spread, after }: Cut,
  now: Instant,
  settings: WatchSettings<A>,
): Transition<A> {
  const position = withoutExpired(before.position, before.askedAt, now, settings.retention);
  const pace = asked(paced(before.pace, now, settings, Math.max(spread, after ?? 0)), now, after);
  const state = { ...before, position, pace, health: unheard(before.health, heldFor) };
  const nextTry = now.at + pace.rest.until - now.monotonic;
  return transitionOf(state, quiet(state.health, position.contactAt, now, CHECK_CUTS, nextTry), 'cut');
}
