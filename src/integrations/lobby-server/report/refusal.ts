import { whyNotConnected } from '../../../client/index.js';
import { answerBehind, isInputError, MAX_WAIT_MS, tryOr, type StatusError } from '../../../error/index.js';
import { closeCode } from '../../../player/index.js';
import { toCloseReason } from '../socket/index.js';
import { errorLine } from './gate-log-entry.js';

/**
 * Why a client is refused. It gets the HTTP status before the upgrade, and the close code after it.
 */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 413 | 429 | 500 | 503;
  readonly code: number;
  readonly reason: string;
  /** When to try again, in ms. Absent if no time is known: then the close code decides. */
  readonly retryAfter?: number;
  /** The error that led to it, as a line of the log. */
  readonly error?: string;
  /** Whether the service may nevertheless count the player as connected. */
  readonly isUnknown?: boolean;
  /** Whether nothing may be sent to the service until `retryAfter` has passed. */
  readonly isRateLimit?: boolean;
}

/** The least wait before a client tries again, in ms. */
const SOON_MS = 1_000;

/** The refusals of the gate itself. {@link refusalFor} adds those of the service. */
export const REFUSALS = {
  noHandshake: { status: 400, ...closeCode('no_handshake') },
  /** There is no token, more than one, or one that the service cannot have issued. */
  noToken: { status: 401, ...closeCode('no_token') },
  noTokenInTime: { status: 401, ...closeCode('no_token_in_time') },
  /** The first message is not complete, and already too large. */
  tooLarge: { status: 413, ...closeCode('too_large') },
  noSuchPath: { status: 404, ...closeCode('no_such_path') },
  origin: { status: 403, ...closeCode('origin') },
  address: { status: 429, ...closeCode('address'), retryAfter: SOON_MS },
  /** The token is being confirmed, or its player is in the lobby. */
  alreadyConnected: { status: 403, ...closeCode('already_connected') },
  /** No player of the gate has this return ticket any more. */
  expired: { status: 403, ...closeCode('expired') },
  busy: { status: 503, ...closeCode('busy'), retryAfter: SOON_MS },
  rateLimited: { status: 503, ...closeCode('rate_limited'), retryAfter: SOON_MS },
  /** The service's answer was lost. The player may come again. */
  unknown: { status: 503, ...closeCode('outcome_unknown'), retryAfter: SOON_MS },
  gateClosed: { status: 503, ...closeCode('gate_closed'), retryAfter: SOON_MS },
  hookFailed: { status: 500, ...closeCode('hook_failed') },
} as const satisfies Readonly<Record<string, Refusal>>;

/**
 * The refusal for an error of `players.connected`. Only if the service refused the player's token
 * is the status 401 or 403, with the service's reason. Anything else is the lobby's problem (503),
 * such as a wrong URL, an invalid lobby token or a rate limit. Then the player may try again.
 */
export function refusalFor(error: unknown, token: string): Refusal {
  // An error whose tag is wrong may throw when it is read.
  return tryOr(() => refusalOf(error, token), { ...REFUSALS.unknown, isUnknown: true });
}

function refusalOf(error: unknown, token: string): Refusal {
  if (isInputError(error) && error.argument === 'player_token')
    return { ...REFUSALS.noToken, error: errorLine(error, token) };
  const why = whyNotConnected(error);
  const answer = answerBehind(error);
  const ourProblem = {
    status: 503,
    code: 4424,
    error: errorLine(error, token),
    retryAfter: retryAfterOf(answer),
    isRateLimit: answer?.status === 429,
  } as const;
  if (why.outcome === 'not_sent') return { ...ourProblem, reason: 'not_sent' };
  // The answer of a proxy says nothing about the token, and the request may have reached the
  // service.
  if (why.outcome === 'unknown' || !answer) {
    return { ...ourProblem, reason: 'outcome_unknown', isUnknown: true };
  }
  if (why.outcome === 'later') return { ...ourProblem, reason: why.reason };
  const reason = toCloseReason(why.reason, token);
  if (!isAboutPlayer(answer, why.reason)) return { ...ourProblem, reason };
  const { error: line } = ourProblem;
  return why.reason === 'invalid_token'
    ? { status: 401, code: 4401, reason, error: line }
    : { status: 403, code: 4403, reason, error: line };
}

/**
 * Whether the reason is a known one, or an unknown code with status 400, which the service uses to
 * refuse tokens.
 */
function isAboutPlayer({ status, code }: StatusError, reason: string): boolean {
  return code !== undefined && (reason !== code || status === 400);
}

/** How long the service asks to wait, within bounds, in ms. */
function retryAfterOf(answer: StatusError | undefined): number {
  const asked = answer?.retryAfter ?? 0;
  return asked > SOON_MS ? Math.min(asked, MAX_WAIT_MS) : SOON_MS;
}

/** A wait in whole seconds, as a header and a close frame state it. */
export function inSeconds(wait: number): number {
  return Math.ceil(wait / 1_000);
}
