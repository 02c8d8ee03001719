import { answerBehind, mayHaveActed } from '../error/index.js';

/** Why `players.connected` refused a token: a known reason, otherwise the service's error code. */
export type RefusalReason =
  | 'already_connected'
  | 'registration_expired'
  | 'removed'
  | 'in_different_lobby'
  | 'invalid_token'
  | (string & {});

/**
 * The outcome of a confirmation that failed. The player's socket must be closed in every case.
 *
 * - `refused`: the service refused the player's token, for this `reason`.
 * - `later`: the service rejected the request, which says nothing about the player. Either its rate
 *   limit was reached, with the time to wait in ms if the service gave one. Or it does not accept
 *   the lobby's own token.
 * - `unknown`: the answer was lost, or did not come from the service, which may count the player as
 *   connected. Confirm the token again only when the player comes again. If the answer is OK, admit
 *   them. `already_connected` does not tell whether the lost request or another player used the
 *   token, so treat it as a refusal.
 * - `not_sent`: the service never saw the token. It can be confirmed later.
 */
export type NotConnected =
  | { readonly outcome: 'refused'; readonly reason: RefusalReason }
  | {
      readonly outcome: 'later';
      readonly reason: 'rate_limited' | 'lobby_unauthorized';
      readonly retryAfter?: number;
    }
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
 * Explains an error of `players.connected`. The token was refused for a reason, the service answers
 * later, the outcome is unknown, or the request was never sent. See {@link NotConnected}.
 *
 * @example
 * client.matchmaker.players.connected({ player_token }).subscribe({
 *   next: () => admit(),
 *   error: error => socket.close(whyNotConnected(error).outcome === 'refused' ? 4403 : 4503),
 * });
 */
export function whyNotConnected(error: unknown): NotConnected {
  if (mayHaveActed(error)) return { outcome: 'unknown' };
  const answer = answerBehind(error);
  if (!answer) return { outcome: 'not_sent' };
  const { code, status, retryAfter } = answer;
  const known = REASONS.get(code);
  if (known !== undefined) return { outcome: 'refused', reason: known };
  if (status === 429)
    return { outcome: 'later', reason: 'rate_limited', ...(retryAfter !== undefined && { retryAfter }) };
  if (status === 401 || status === 403) return { outcome: 'later', reason: 'lobby_unauthorized' };
  return { outcome: 'refused', reason: code ?? String(status) };
}
