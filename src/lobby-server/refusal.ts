/** Why a socket is turned away: with this HTTP status before the upgrade, with this close code after it. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 429 | 500 | 503;
  readonly code: 1001 | 4401 | 4403 | 4408 | 4424 | 4429;
  readonly reason: string;
  /** When to come again, in seconds, where that is worth while. */
  readonly retryAfter?: number;
  /** What `players.connected` failed with. */
  readonly error?: unknown;
  /** Whether the player may count as connected at the service all the same. */
  readonly isUnknown?: boolean;
}
