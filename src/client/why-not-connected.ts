import {
  answerBehind,
  isFromService,
  isInputError,
  isTransportError,
  isUnauthorizedError,
} from '../error/index.js';

/** Why `players.connected` refused a token: a known reason, or otherwise the service's error code. */
export type RefusalReason =
  | 'already_connected'
  | 'registration_expired'
  | 'removed'
  | 'in_different_lobby'
  | 'invalid_token'
  | 'unauthorized'
  | (string & {});

/**
 * The outcome of a confirmation that failed. The player's socket must be closed in every case.
 *
 * - `refused`: the service refused the token, for this `reason`.
 * - `unknown`: the answer was lost, or did not come from the service, which may count the player as connected. Confirm the token
 *   again only when the player comes again: OK admits them. `already_connected` does not tell whether the lost request or
 *   another player consumed the token, so that it is a no.
 * - `not_sent`: the service never saw the token. It can be confirmed later.
 */
export type NotConnected =
  | { readonly outcome: 'refused'; readonly reason: RefusalReason }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_sent' };

/** The error codes of deployed servers. */
const REASONS: ReadonlyMap<string | undefined, RefusalReason> = new Map([
  ['MATCHMAKER_PLAYER_ALREADY_CONNECTED', 'already_connected'],
  ['MATCHMAKER_PLAYER_REGISTRATION_EXPIRED', 'registration_expired'],
  ['MATCHMAKER_PLAYER_REMOVED', 'removed'],
  ['MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY', 'in_different_lobby'],
  ['TOKEN_ERROR', 'invalid_token'],
]);

/**
 * Explains an error of `players.connected`: it was refused for a reason, the outcome is unknown, or the request was never
 * sent. See {@link NotConnected}.
 *
 * @example
 * client.matchmaker.players.connected({ player_token }).subscribe({
 *   next: () => admit(),
 *   error: error => socket.close(whyNotConnected(error).outcome === 'refused' ? 4403 : 4503),
 * });
 */
export function whyNotConnected(error: unknown): NotConnected {
  if (isInputError(error)) return { outcome: 'not_sent' };
  if (isTransportError(error)) {
    const isUnsent = error.reason === 'not_sent' || error.reason === 'unreachable';
    return { outcome: isUnsent ? 'not_sent' : 'unknown' };
  }
  const answer = answerBehind(error);
  // There was no token to send it with.
  if (isUnauthorizedError(error) && !answer) return { outcome: 'not_sent' };
  // A crash, or a proxy that lost the answer. Only the service's own 4xx is definitely a refusal.
  const isNo = answer && answer.status >= 400 && answer.status < 500;
  if (!isNo || !(isUnauthorizedError(error) || isFromService(answer))) return { outcome: 'unknown' };
  const { code, status } = answer;
  const reason = status === 401 || status === 403 ? 'unauthorized' : (code ?? String(status));
  return { outcome: 'refused', reason: REASONS.get(code) ?? reason };
}
