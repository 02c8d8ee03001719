import { whyNotConnected } from '../client/index.js';
import { isInputError, isStatusError } from '../protocol/index.js';
import type { Refusal } from './refusal.js';
import { REFUSALS } from './refusals.js';

/**
 * What the error of a `players.connected` makes the gate answer. A player is told no (401, 403) only where the service has
 * said no to him; all else is trouble on the lobby's side (503), its own token and its rate limit included.
 */
export function whyRefused(error: unknown): Refusal & { readonly isUnknown: boolean } {
  if (isInputError(error)) return { ...REFUSALS.noToken, isUnknown: false };
  const why = whyNotConnected(error);
  if (why.outcome !== 'refused') {
    return { status: 503, code: 4424, reason: why.outcome, isUnknown: why.outcome === 'unknown' };
  }
  const { reason } = why;
  const isOurs = reason === 'unauthorized' || (isStatusError(error) && error.status === 429);
  if (isOurs) return { status: 503, code: 4424, reason, isUnknown: false };
  return reason === 'invalid_token'
    ? { status: 401, code: 4401, reason, isUnknown: false }
    : { status: 403, code: 4403, reason, isUnknown: false };
}
