import { whyNotConnected } from '../client/index.js';
import { isInputError, isStatusError } from '../error/index.js';
import type { Refusal } from './refusal.js';
import { REFUSALS } from './refusals.js';

/**
 * What the error of a `players.connected` makes the gate answer. A player is told no (401, 403) only where the service has
 * said no to his token, in its own words; all else is trouble on the lobby's side (503), and worth another try: a wrong
 * address, the lobby's own token, its rate limit.
 */
export function whyRefused(error: unknown): Refusal {
  if (isInputError(error)) return { ...REFUSALS.noToken, error };
  const why = whyNotConnected(error);
  const trouble = { status: 503, code: 4424, error, retryAfter: secondsToWait(error) } as const;
  if (why.outcome !== 'refused') {
    return { ...trouble, reason: why.outcome, isUnknown: why.outcome === 'unknown' };
  }
  const { reason } = why;
  if (!isAboutPlayer(error, reason)) return { ...trouble, reason };
  return reason === 'invalid_token'
    ? { status: 401, code: 4401, reason, error }
    : { status: 403, code: 4403, reason, error };
}

/** Either a reason that has a name here, or a code that nobody knows yet, with the status that such codes come with. */
function isAboutPlayer(error: unknown, reason: string): boolean {
  if (!isStatusError(error) || error.code === undefined || reason === 'unauthorized') return false;
  return reason !== error.code || error.status === 400;
}

function secondsToWait(error: unknown): number {
  return Math.ceil(((isStatusError(error) ? error.retryAfter : undefined) ?? 1_000) / 1_000);
}
