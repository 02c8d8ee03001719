import { hasTag, TaggedError } from '../error/index.js';
import type { GateReason } from './close-codes.js';

/**
 * Why a player is out of a lobby, or never got in.
 *
 * - Of the gate: `registration_expired`, `already_connected`, `replaced`, `expired` and so on. The
 *   page of the gate has them all (docs/gate.md).
 * - `closed`, `kicked`: the lobby has closed the connection, with 1000 or with a code of its own.
 * - `dropped`: the connection has dropped, and the gate lets no one come back.
 * - `unreachable`: no connection could be made while the reservation was valid.
 * - `not_opened`: the platform does not open the URL, such as one of ws: in a page of https:.
 * - `not_a_gate`: the server is not a `lobbyGate`.
 *
 * Other strings are error codes of the service.
 */
export type LobbyClosedReason =
  GateReason | 'kicked' | 'dropped' | 'unreachable' | 'not_opened' | 'not_a_gate' | (string & {});

/**
 * A player is out of a lobby, or could not get in, and trying again cannot help. A
 * `lobbyConnection` ends with it.
 */
export class LobbyClosedError extends TaggedError {
  readonly _tag = 'LobbyClosedError';
  override readonly name = 'LobbyClosedError';

  constructor(
    readonly reason: LobbyClosedReason,
    /** The close code. It is 1006 if there was no close frame. */
    readonly code: number,
    /** The text of the close frame. */
    readonly text: string,
  ) {
    const said = text === '' || text === reason ? '' : `: ${text}`;
    super(`not in the lobby: ${reason} (${code}${said})`);
  }
}

/**
 * Whether this is a `LobbyClosedError`, from any copy of this library in any realm.
 *
 * @example
 * if (isLobbyClosedError(error) && error.reason === 'replaced') showOtherTab();
 */
export const isLobbyClosedError: (u: unknown) => u is LobbyClosedError =
  hasTag<LobbyClosedError>('LobbyClosedError');
