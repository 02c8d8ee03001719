import { isClientError } from './client-error.js';
import { LATER_STATUSES } from './recovery.js';
import { isStatusError } from './status-error.js';
import { isTransportError, type TransportFailure } from './transport-error.js';

/** What comes again with each attempt: the server answers like that, or nothing is to be sent any more. */
const LASTING: readonly TransportFailure[] = ['redirected', 'too_large'];

/**
 * Whether the same request may succeed later: there was no answer, or one that speaks of a passing state (408, 425, 429, 5xx). Anything that
 * is no error of this library may be anything, and counts as passing. It is what `backoff` retries; a watch retries more.
 *
 * @example
 * client.group.getMembers({ group_id }).pipe(retry({ count: 3, delay: error => (isRetryable(error) ? timer(1_000) : throwError(() => error)) }));
 */
export function isRetryable(error: unknown): boolean {
  if (!isClientError(error)) return true;
  if (isTransportError(error)) return !LASTING.includes(error.reason);
  return isStatusError(error) && (error.status >= 500 || LATER_STATUSES.includes(error.status));
}
