import { whyNotConnected } from '../../client/index.js';
import { isInputError, isStatusError } from '../../error/index.js';

/** Why a client is refused: with this HTTP status before the upgrade, with this close code after it. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 429 | 500 | 503;
  readonly code: 1001 | 4401 | 4403 | 4408 | 4424 | 4429;
  readonly reason: string;
  /** When to try again, in seconds; absent if a retry would not help. */
  readonly retryAfter?: number;
  /** The error of `players.connected`. */
  readonly error?: unknown;
  /** Whether the service may nevertheless count the player as connected. */
  readonly isUnknown?: boolean;
}

/** The refusals of the gate itself; {@link refusalFor} adds those of the service. */
export const REFUSALS = {
  noHandshake: { status: 400, code: 4401, reason: 'no_handshake' },
  /** There is no token, more than one, or one that the service cannot have issued. */
  noToken: { status: 401, code: 4401, reason: 'no_token' },
  noTokenInTime: { status: 401, code: 4408, reason: 'no_token_in_time' },
  noSuchPath: { status: 404, code: 4403, reason: 'no_such_path' },
  origin: { status: 403, code: 4403, reason: 'origin' },
  address: { status: 429, code: 4429, reason: 'address', retryAfter: 1 },
  /** The token is being confirmed, or its player is in the lobby. */
  alreadyConnected: { status: 403, code: 4403, reason: 'already_connected' },
  busy: { status: 503, code: 4429, reason: 'busy', retryAfter: 1 },
  gateClosed: { status: 503, code: 1001, reason: 'gate_closed', retryAfter: 1 },
  hookFailed: { status: 500, code: 4424, reason: 'hook_failed' },
} as const satisfies Readonly<Record<string, Refusal>>;

/**
 * The refusal for an error of `players.connected`. Only if the service refused the player's token is the status 401 or 403,
 * with the service's reason. Anything else is the lobby's problem (503), and the player may try again: a wrong URL, an
 * invalid lobby token, a rate limit.
 */
export function refusalFor(error: unknown): Refusal {
  if (isInputError(error)) return { ...REFUSALS.noToken, error };
  const why = whyNotConnected(error);
  const ourProblem = { status: 503, code: 4424, error, retryAfter: retryAfterSeconds(error) } as const;
  if (why.outcome !== 'refused') {
    return { ...ourProblem, reason: why.outcome, isUnknown: why.outcome === 'unknown' };
  }
  const { reason } = why;
  if (!isAboutPlayer(error, reason)) return { ...ourProblem, reason };
  return reason === 'invalid_token'
    ? { status: 401, code: 4401, reason, error }
    : { status: 403, code: 4403, reason, error };
}

/** Whether the reason is a known one, or an unknown code with status 400, which the service uses to refuse tokens. */
function isAboutPlayer(error: unknown, reason: string): boolean {
  if (!isStatusError(error) || error.code === undefined || reason === 'unauthorized') return false;
  return reason !== error.code || error.status === 400;
}

function retryAfterSeconds(error: unknown): number {
  return Math.ceil(((isStatusError(error) ? error.retryAfter : undefined) ?? 1_000) / 1_000);
}
