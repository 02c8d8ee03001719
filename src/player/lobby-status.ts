import type { LobbyClosedError } from './lobby-closed-error.js';

/**
 * The status of a `lobbyConnection`.
 *
 * - `idle`: it has no subscribers, and the player is not in.
 * - `connecting`: it connects for the first time.
 * - `live`: the player is in.
 * - `retrying`: the connection has dropped, or the gate could not admit the player (see `error`).
 *   Another attempt follows.
 * - `offline`: like `retrying`, but no connection could be made at all.
 * - `closed`: the player is out. `error` says why, unless the lobby has closed with 1000.
 */
export interface LobbyStatus {
  readonly state: 'idle' | 'connecting' | 'live' | 'retrying' | 'offline' | 'closed';
  /** When this state began, in ms since 1970. */
  readonly since: number;
  /** The number of attempts that failed in a row. */
  readonly attempt: number;
  /** When the next attempt begins, in ms since 1970. `undefined` unless it waits for that. */
  readonly nextTry: number | undefined;
  /** Why the last attempt failed, or how the last connection ended. */
  readonly error: LobbyClosedError | undefined;
  /** What to check. */
  readonly hint: string | undefined;
}

/** The status after a change. Fields that it does not set are reset. */
export function nextStatus(
  before: LobbyStatus | undefined,
  change: Pick<LobbyStatus, 'state'> & Partial<LobbyStatus>,
  now: number,
): LobbyStatus {
  const since = before?.state === change.state ? before.since : now;
  return { attempt: 0, nextTry: undefined, error: undefined, hint: undefined, ...change, since };
}

const HINTS: Readonly<Record<string, string>> = {
  lobby_unauthorized: "The service rejects the lobby's own token.",
  rate_limited: 'The service limits the rate of the lobby.',
  hook_failed: 'A function in the options of the gate fails. The log of the gate says which one.',
  not_sent: 'The lobby cannot reach the service.',
  outcome_unknown: 'The lobby gets no answer from the service.',
  not_opened: 'The platform does not open this URL. A page of https: needs one of wss:.',
};

/** After this number of attempts without any connection, the URL may be wrong. */
const MANY_ATTEMPTS = 3;

/** What to check after attempts that failed. */
export function hintFor(reason: string, attempt: number, hasBeenIn: boolean): string | undefined {
  if (reason === 'unreachable' && attempt >= MANY_ATTEMPTS && !hasBeenIn)
    return 'There has been no connection yet. Check the address and the path, and whether the lobby is running.';
  return HINTS[reason];
}
