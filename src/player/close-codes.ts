/**
 * What the player's side does after a connection has ended.
 *
 * - `dropped`: the connection broke, and the player may come back.
 * - `later`: the gate could not admit the player now. A player who was in is out.
 * - `never`: the player is out.
 */
export type ComesBack = 'dropped' | 'later' | 'never';

/**
 * The codes and reasons with which a connection between a player and a gate ends, for both sides.
 * docs/gate.md explains them.
 */
export const CLOSE_CODES = [
  { codes: [1000], reasons: ['closed'], comesBack: 'never' },
  { codes: [1001], reasons: ['gate_closed'], comesBack: 'later' },
  // Of a browser that leaves, a network, or a proxy that restarts. No page can send these, except
  // for 4006. A proxy that makes two connections of one sends it for 1006 (@fastify/http-proxy).
  { codes: [1001, 1002, 1006, 1011, 1012, 1013, 1014, 4006], reasons: [], comesBack: 'dropped' },
  { codes: [1008], reasons: ['too_many_pieces'], comesBack: 'never' },
  { codes: [1009], reasons: ['too_large'], comesBack: 'never' },
  // Of a script that is about to connect again.
  { codes: [4000], reasons: ['back_soon'], comesBack: 'dropped' },
  { codes: [4401], reasons: ['no_handshake', 'no_token', 'invalid_token'], comesBack: 'never' },
  {
    codes: [4403],
    reasons: [
      'already_connected',
      'expired',
      'in_different_lobby',
      'no_such_path',
      'origin',
      'registration_expired',
      'removed',
    ],
    comesBack: 'never',
  },
  // The token has not been used.
  { codes: [4408], reasons: ['no_token_in_time'], comesBack: 'later' },
  // Two tabs with one ticket would otherwise replace each other for ever.
  { codes: [4409], reasons: ['replaced'], comesBack: 'never' },
  { codes: [4413], reasons: ['too_many_messages'], comesBack: 'never' },
  {
    codes: [4424],
    reasons: ['hook_failed', 'lobby_unauthorized', 'not_sent', 'outcome_unknown', 'rate_limited'],
    comesBack: 'later',
  },
  { codes: [4429], reasons: ['address', 'busy'], comesBack: 'later' },
] as const satisfies readonly CloseCodes[];

/** A row of {@link CLOSE_CODES}. */
export interface CloseCodes {
  readonly codes: readonly number[];
  readonly reasons: readonly string[];
  readonly comesBack: ComesBack;
}

/** A reason of the table. */
export type GateReason = (typeof CLOSE_CODES)[number]['reasons'][number];

const rows: readonly CloseCodes[] = CLOSE_CODES;

/** The code and the reason with which a gate ends a connection. */
export function closeCode(reason: GateReason): { readonly code: number; readonly reason: GateReason } {
  return { code: rows.find(({ reasons }) => reasons.includes(reason))!.codes[0]!, reason };
}

/** What a close code and its text say. */
export interface MeaningOfClose {
  /** A reason of the table, an error code of the service, `dropped` or `kicked`. */
  readonly reason: string;
  readonly comesBack: ComesBack;
  /** When to try again, in ms. `undefined` if the gate does not say. */
  readonly retryAfter: number | undefined;
}

/** The first of the gate's own codes, all of which are in the table. */
const FIRST_OF_GATE = 4401;

/**
 * What a close code and its text say. A code that is not in the table is one of the lobby's own.
 */
export function meaningOfClose(code: number, text: string): MeaningOfClose {
  const [said = '', seconds] = text.split('; retry-after=', 2);
  const ofCode = rows.filter(({ codes }) => codes.includes(code));
  const row = ofCode.find(({ reasons }) => reasons.includes(said)) ?? ofCode.at(-1);
  if (!row) return { reason: 'kicked', comesBack: 'never', retryAfter: undefined };
  // The gate passes on error codes of the service that it does not know.
  const isSaid = row.reasons.includes(said) || (code >= FIRST_OF_GATE && said !== '');
  return {
    reason: isSaid ? said : (row.reasons[0] ?? 'dropped'),
    comesBack: row.comesBack,
    retryAfter: seconds === undefined ? undefined : Number(seconds) * 1_000,
  };
}
