import { isDecodeError, type DecodeError } from './decode-error.js';
import { isInputError, type InputError } from './input-error.js';
import { isStatusError, type StatusError } from './status-error.js';
import { LATER_STATUSES } from './recovery.js';
import { isTransportError, type TransportError, type TransportFailure } from './transport-error.js';
import { isUnauthorizedError, type UnauthorizedError } from './unauthorized-error.js';

/** Any error that a stream of this library ends with. Distinguish them by `_tag` or with their guards. */
export type ClientError = TransportError | StatusError | DecodeError | InputError | UnauthorizedError;

const GUARDS = [isTransportError, isStatusError, isDecodeError, isInputError, isUnauthorizedError];

/**
 * Whether this is one of this library's errors.
 *
 * @example
 * if (!isClientError(error)) throw error;
 */
export function isClientError(u: unknown): u is ClientError {
  return GUARDS.some(guard => guard(u));
}

/** What comes again with each attempt: the server answers like that, or nothing is to be sent any more. */
const LASTING: readonly TransportFailure[] = ['redirected', 'too_large', 'closed'];

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
