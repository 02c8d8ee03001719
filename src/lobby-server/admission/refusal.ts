import { whyNotConnected } from '../../client/index.js';
import { isInputError, isStatusError } from '../../error/index.js';

/** Why a client is turned away: with this HTTP status before the upgrade, with this close code after it. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 429 | 500 | 503;
  readonly code: 1001 | 4401 | 4403 | 4408 | 4424 | 4429;
  readonly reason: string;
  /** When to try again, in seconds; absent if that would not help. */
  readonly retryAfter?: number;
  /** The error of `players.connected`. */
  readonly error?: unknown;
  /** Whether the service may count the player as connected all the same. */
  readonly isUnknown?: boolean;
}

/** The refusals of the gate itself; {@link refusalFor} adds those of the service. */
export const REFUSALS = {
  noHandshake: { status: 400, code: 4401, reason: 'no_handshake' },
  /** There is no token, there are two, or it is one that the service cannot have issued. */
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
 * The refusal for an error of `players.connected`. A player is told no (401, 403) only if the service refused their token,
 * and then for the service's reason. Anything else is the lobby's own problem (503), and worth another try: a wrong address,
 * the lobby's own token, its rate limit.
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

/** Either a reason that this library knows, or a code it does not know, with the status that the service refuses tokens with. */
function isAboutPlayer(error: unknown, reason: string): boolean {
  if (!isStatusError(error) || error.code === undefined || reason === 'unauthorized') return false;
  return reason !== error.code || error.status === 400;
}

function retryAfterSeconds(error: unknown): number {
  return Math.ceil(((isStatusError(error) ? error.retryAfter : undefined) ?? 1_000) / 1_000);
}
