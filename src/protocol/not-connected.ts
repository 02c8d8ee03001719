/** Why `players.connected` refused a token: a known reason, or the service's own code for one that is not known here. */
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
 * - `unknown`: the answer was lost, or was not the service's: the player may count as connected there. Never confirm such a
 *   token again to find out; a second confirmation would say `already_connected` either way.
 * - `not_sent`: the service never saw the token, which can be confirmed later.
 */
export type NotConnected =
  | { readonly outcome: 'refused'; readonly reason: RefusalReason }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'not_sent' };
