import type { Refusal } from './refusal.js';

/** What the gate itself turns sockets away for; the service's reasons come beside these. */
export const REFUSALS = {
  /** No token, two of them, or one that cannot be any. */
  noToken: { status: 401, code: 4401, reason: 'no_token' },
  late: { status: 401, code: 4408, reason: 'no_token_in_time' },
  notHandshake: { status: 400, code: 4401, reason: 'no_handshake' },
  notHere: { status: 404, code: 4403, reason: 'no_such_path' },
  origin: { status: 403, code: 4403, reason: 'origin' },
  address: { status: 429, code: 4429, reason: 'address', retryAfter: 1 },
  /** The token is being confirmed, or its player is in. */
  inUse: { status: 403, code: 4403, reason: 'already_connected' },
  busy: { status: 503, code: 4429, reason: 'busy', retryAfter: 1 },
  closing: { status: 503, code: 1001, reason: 'gate_closed', retryAfter: 1 },
  hook: { status: 500, code: 4424, reason: 'hook_failed' },
} as const satisfies Readonly<Record<string, Refusal>>;
