/**
 * What the player's side does after a connection has ended.
 *
 * - `dropped`: the connection broke, and the player may come back.
 * - `later`: the gate could not admit the player now. A player who was in is out.
 * - `never`: the player is out.
 */
export type ComesBack = 'dropped' | 'later' | 'never';

/**
 * The close codes of a connection between a player and a gate, for both sides. Any other code is
 * the lobby's own, and the player is out. docs/gate.md explains them.
 */
export const COMES_BACK: Readonly<Record<number, ComesBack>> = {
  1000: 'never',
  // Sent by a browser that leaves or a proxy that restarts, or made up when a network fails.
  1001: 'dropped',
  1002: 'dropped',
  1006: 'dropped',
  1008: 'never',
  1009: 'never',
  1011: 'dropped',
  1012: 'dropped',
  1013: 'dropped',
  1014: 'dropped',
  // Sent by a script that is about to connect again.
  4000: 'dropped',
  // A proxy that makes two connections of one sends it for 1006 (@fastify/http-proxy).
  4006: 'dropped',
  4401: 'never',
  4403: 'never',
  // The token has not been used.
  4408: 'later',
  // Two tabs with one ticket would otherwise replace each other for ever.
  4409: 'never',
  4413: 'never',
  4424: 'later',
  4429: 'later',
};

/** The close code of each reason of its own that a gate or a player sends. */
export const CODE_OF_REASON = {
  closed: 1000,
  // Sent by a gate that drains: the player may have another gate next time.
  gate_closed: 1001,
  too_many_pieces: 1008,
  too_large: 1009,
  back_soon: 4000,
  no_handshake: 4401,
  no_token: 4401,
  invalid_token: 4401,
  already_connected: 4403,
  expired: 4403,
  in_different_lobby: 4403,
  no_such_path: 4403,
  origin: 4403,
  registration_expired: 4403,
  removed: 4403,
  no_token_in_time: 4408,
  replaced: 4409,
  too_many_messages: 4413,
  hook_failed: 4424,
  lobby_unauthorized: 4424,
  not_sent: 4424,
  outcome_unknown: 4424,
  rate_limited: 4424,
  address: 4429,
  busy: 4429,
} as const;

/** A reason of the table. */
export type GateReason = keyof typeof CODE_OF_REASON;

/** The code and the reason with which a gate ends a connection. */
export function closeCode(reason: GateReason): { readonly code: number; readonly reason: GateReason } {
  return { code: CODE_OF_REASON[reason], reason };
}

/** What a close code and its text say. */
export interface MeaningOfClose {
  /** A reason of the table, an error code of the service, `dropped` or `kicked`. */
  readonly reason: string;
  readonly comesBack: ComesBack;
  /** When to try again, in ms. `undefined` if the gate does not say. */
  readonly retryAfter: number | undefined;
}

/** The codes of the protocol whose text does not say the reason. */
const REASON_OF_CODE: Readonly<Record<number, GateReason>> = {
  1000: 'closed',
  1008: 'too_many_pieces',
  1009: 'too_large',
};

/** Reads a close frame. `kicked` stands for a code without a reason. */
export function meaningOfClose(code: number, text: string): MeaningOfClose {
  const [said, seconds] = text.split('; retry-after=', 2);
  const isGateClosed = code === 1001 && said === ('gate_closed' satisfies GateReason);
  const known = isGateClosed ? 'later' : COMES_BACK[code];
  const told = known && said ? said : 'kicked';
  const retryAfter = Number(seconds) * 1_000;
  return {
    reason: REASON_OF_CODE[code] ?? (known === 'dropped' ? known : told),
    comesBack: known ?? 'never',
    retryAfter: retryAfter > 0 ? retryAfter : undefined,
  };
}
