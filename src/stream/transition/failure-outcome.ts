import {
  HELD_MS,
  isDecodeError,
  isFromService,
  isStatusError,
  MAX_WAIT_MS,
  unknownRecovery,
  type Recovery,
} from '../../error/index.js';
import { spreadOver, spreadWait } from '../timing/index.js';
import type { Outcome } from './outcome.js';
import { CHECK_FIRST, CHECK_SENDER, hasStoodStill, indexHint } from './status.js';
import type { PollFailure, Turn } from './watch-state.js';

/** A poll held this long (ms) that ends with an error was probably cut off by a proxy. */
const CUT_MS = 5_000;

/** A proxy may end many polls at once. They are sent again over this time, in ms. */
const CUT_SPREAD_MS = 300;

/**
 * The longest wait, in ms, that a proxy may ask for after a cut, except with a 429. Nothing is
 * polled in that time.
 */
const MAX_WAIT_OF_CUT_MS = 1_000;

/**
 * A poll ended with an error (law 4). The service has answered with one, a proxy has cut the poll
 * off, or the poll failed.
 */
export function failureOutcome<A>(turn: Turn<A>, failure: PollFailure): Outcome<A> {
  const { state, now, settings } = turn;
  const { error, heldFor } = failure;
  const decided = settings.recovery(error) as Recovery | undefined;
  const hasIndex = state.position.index !== undefined;
  const failed = { kind: 'failure', error, heldFor } as const;
  switch (decided?.kind) {
    case 'no_news':
      if (heldFor >= HELD_MS || settings.retention === Infinity) return { kind: 'contact', at: now };
      return hasIndex ? { kind: 'echo' } : failed;
    case 'index':
      return hasIndex ? { ...failed, dropsIndex: true } : { kind: 'end', end: { kind: 'error', error } };
    case 'end':
      return { kind: 'end', end: { kind: 'error', error } };
    case 'retry': {
      const { mayBeCut, retryAfter, dropsIndex, offline } = decided;
      if (mayBeCut === true && hasIndex && isCut(failure))
        return {
          kind: 'cut',
          heldFor,
          spread: endsAllPolls(error) ? spreadOver(CUT_SPREAD_MS, settings) : 0,
          retryAfter: waitAfterCut(error, retryAfter),
        };
      return { ...failed, hint: hintFor(turn, error, decided), retryAfter, dropsIndex, offline };
    }
    default:
      throw unknownRecovery(decided);
  }
}

/** Whether a poll was held, and then ended by something other than an answer from the service. */
function isCut({ error, heldFor, hasArrived = false }: PollFailure): boolean {
  // A body that broke off was an answer from the service. A response that a proxy sends is not.
  const isBroken = hasArrived && !isStatusError(error) && !isDecodeError(error);
  return heldFor >= CUT_MS && !isBroken;
}

/** Whether a proxy that ends one poll like this ends all of them. */
function endsAllPolls(error: unknown): boolean {
  return !isStatusError(error) || error.status >= 500;
}

function waitAfterCut(error: unknown, asked: number | undefined): number | undefined {
  if (asked === undefined) return undefined;
  const isLimited = isStatusError(error) && error.status === 429;
  const wait = Math.min(isLimited ? MAX_WAIT_MS : MAX_WAIT_OF_CUT_MS, asked);
  // A custom `recovery` may give NaN or a string.
  return wait > 0 ? wait : undefined;
}

/** What to check after a failure. */
function hintFor<A>(
  { state: { position, health }, now, settings }: Turn<A>,
  error: unknown,
  { hint, offline, retryAfter }: Recovery & { kind: 'retry' },
): string | undefined {
  if (hint && !health.isAnswered) return hint;
  if (health.isProved && isStatusError(error) && !isFromService(error)) return CHECK_SENDER;
  const isIndexSuspected = !offline && retryAfter === undefined && position.index !== undefined;
  return isIndexSuspected ? indexHint(position.contactAt, now, settings.retention) : undefined;
}

/** A poll was not answered in time. It may have been sent on a dead connection. */
export function timeoutOutcome<A>({ state, now, openWatches, settings }: Turn<A>): Outcome<A> {
  const heldFor = now.monotonic - state.askedAt.monotonic;
  // Without an index the service answers at once.
  if (state.position.index === undefined && !hasStoodStill(settings, heldFor))
    return { kind: 'failure', hint: CHECK_FIRST, heldFor, isTimeout: true };
  return { kind: 'cut', heldFor, spread: spreadWait(openWatches, settings), isTimeout: true };
}
