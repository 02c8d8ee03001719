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

/** What changes of a status. Other fields are reset, and the hint is that of the error. */
export type StatusChange = Pick<LobbyStatus, 'state'> & Partial<LobbyStatus>;

/** The status after a change. */
export function nextStatus(before: LobbyStatus | undefined, change: StatusChange, now: number): LobbyStatus {
  const since = before?.state === change.state ? before.since : now;
  const hint = HINTS.get(change.error?.reason ?? '');
  return { attempt: 0, nextTry: undefined, error: undefined, ...change, since, hint };
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ['unreachable', 'Check the address and the path, and whether the lobby is running.'],
  ['lobby_unauthorized', "The service rejects the lobby's own token."],
  ['rate_limited', 'The service limits the rate of the lobby.'],
  ['hook_failed', 'See the log of the gate.'],
  ['not_sent', 'The lobby cannot ask the service.'],
  ['outcome_unknown', 'The lobby gets no answer from the service.'],
  ['not_opened', 'Check the URL. A page of https: needs wss:.'],
]);
