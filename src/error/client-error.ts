import { isDecodeError, type DecodeError } from './decode-error.js';
import { isInputError, type InputError } from './input-error.js';
import { isFromService, isStatusError, type StatusError } from './status-error.js';
import { LATER_STATUSES } from './recovery.js';
import { isTransportError, type TransportError, type TransportFailure } from './transport-error.js';
import { answerBehind, isUnauthorizedError, type UnauthorizedError } from './unauthorized-error.js';

/**
 * Any error that a stream of this library ends with. Distinguish them by `_tag` or with their
 * guards.
 */
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

/**
 * Whether the request may have been carried out: there is no answer of the service that says no,
 * and it may have been sent.
 */
export function mayHaveActed(error: unknown): boolean {
  if (isInputError(error)) return false;
  if (isTransportError(error)) return error.reason !== 'not_sent' && error.reason !== 'unreachable';
  const answer = answerBehind(error);
  // There was no token to send it with.
  if (isUnauthorizedError(error) && !answer) return false;
  // A crash, or a proxy that lost the answer. Only the service's own 4xx is definitely a refusal.
  const isNo = answer && answer.status >= 400 && answer.status < 500;
  return !isNo || !(isUnauthorizedError(error) || isFromService(answer));
}

/**
 * What comes again with each attempt: the server answers like that, or nothing is to be sent any
 * more.
 */
const LASTING: readonly TransportFailure[] = ['redirected', 'too_large', 'client_closed'];

/**
 * Whether the same request may succeed later: there was no answer, or one that speaks of a passing
 * state (408, 425, 429, 5xx). Anything that is no error of this library may be anything, and counts
 * as passing. It is what `backoff` retries; a watch retries more. An error of `players.connected`
 * after which the player may be counted never passes: repeated, the request would say that they are
 * connected already. Nor do those of your own endpoints with `isRepeatable: false`.
 *
 * @example
 * client.group
 *   .getMembers({ group_id })
 *   .pipe(
 *     retry({
 *       count: 3,
 *       delay: error => (isRetryable(error) ? timer(1_000) : throwError(() => error)),
 *     }),
 *   );
 */
export function isRetryable(error: unknown): boolean {
  if (!isClientError(error)) return true;
  if (error.isRepeatable === false) return false;
  if (isTransportError(error)) return !LASTING.includes(error.reason);
  return isStatusError(error) && (error.status >= 500 || LATER_STATUSES.includes(error.status));
}
