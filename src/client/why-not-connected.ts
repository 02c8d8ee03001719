import { isInputError, isStatusError, isTransportError } from '../error/index.js';

/** Why `players.connected` refused a token: a known reason, or the service's own code for an unknown one. */
export type RefusalReason =
  | 'already_connected'
  | 'registration_expired'
  | 'removed'
  | 'in_different_lobby'
  | 'invalid_token'
  | 'unauthorized'
  | (string & {});

/**
 * What became of a confirmation that did not end with OK. In every case the player's socket has to be closed.
 *
 * - `refused`: the service said no, for this `reason`.
 * - `unknown`: the answer was lost, or did not come from the service. The player may count as connected there. Never confirm
 *   such a token again to find out: a second confirmation would say `already_connected` either way.
 * - `not_sent`: the service never saw the token, which can be confirmed later.
 */
export type NotConnected =
  | { readonly outcome: 'refused'; readonly reason: RefusalReason }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_sent' };

/** The codes of deployed servers. */
const REASONS: ReadonlyMap<string | undefined, RefusalReason> = new Map([
  ['MATCHMAKER_PLAYER_ALREADY_CONNECTED', 'already_connected'],
  ['MATCHMAKER_PLAYER_REGISTRATION_EXPIRED', 'registration_expired'],
  ['MATCHMAKER_PLAYER_REMOVED', 'removed'],
  ['MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY', 'in_different_lobby'],
  ['TOKEN_ERROR', 'invalid_token'],
]);

/**
 * What the error of a `players.connected` means: a refusal with its reason, an outcome that nobody knows, or a request that
 * was never sent. See {@link NotConnected}.
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
  // A crash, or a proxy in between that lost the answer. Only a 4xx is certainly the service's no.
  if (!isStatusError(error) || error.status < 400 || error.status > 499) return { outcome: 'unknown' };
  const isUnauthorized = error.status === 401 || error.status === 403;
  return {
    outcome: 'refused',
    reason:
      REASONS.get(error.code) ?? (isUnauthorized ? 'unauthorized' : (error.code ?? String(error.status))),
  };
}
