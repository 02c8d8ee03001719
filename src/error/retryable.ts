import { isClientError } from './client-error.js';
import { isInputError } from './input-error.js';
import { LATER_STATUSES } from './recovery.js';
import { isFromService, isStatusError } from './status-error.js';
import { isTransportError, type TransportFailure } from './transport-error.js';
import { answerBehind, isUnauthorizedError } from './unauthorized-error.js';

/**
 * Whether the request may have been carried out. It may have been sent, and the service has not
 * answered that it rejects the request.
 */
export function mayHaveActed(error: unknown): boolean {
  if (isInputError(error)) return false;
  if (isTransportError(error)) return error.reason !== 'not_sent' && error.reason !== 'unreachable';
  const answer = answerBehind(error);
  // Without a token, the request was not sent.
  if (!answer) return !isUnauthorizedError(error);
  // Only the service's own 4xx is definitely a rejection. Other answers come from a crash, or from
  // a proxy that lost the answer.
  const is4xx = answer.status >= 400 && answer.status < 500;
  return !is4xx || !(isUnauthorizedError(error) || isFromService(answer));
}

/**
 * The failures that come again with each attempt. Either the server answers so each time, or
 * nothing is to be sent any more.
 */
const LASTING: readonly TransportFailure[] = ['redirected', 'too_large', 'client_closed'];

/**
 * Whether the same request may succeed later. That is so if there was no answer, or if the answer
 * names a transient state (408, 425, 429, 5xx). An error that is not of this library may be
 * anything, and counts as transient. `backoff` retries these errors. A watch retries more.
 *
 * After an error of `players.connected`, the player may be counted. Then it is never retryable:
 * repeated, the request would say that they are connected already. Nor is such an error of your own
 * endpoints with `isRepeatable: false`.
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
