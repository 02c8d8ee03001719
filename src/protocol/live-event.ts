import type { DecodeIssue } from './decode-issue.js';
import type { IdentityUpdate } from './identity-update.js';
import type { LobbyJoin } from './lobby-join.js';
import type { Notification } from './notification.js';

interface Stamped {
  /** When it happened, in the server's own words. */
  readonly ts: string;
  /** What the player is to be shown with it, if anything. */
  readonly notification?: Notification;
}

/** The event kinds that the interface document describes (section 6), by their names on the wire. */
export interface KnownEvents {
  identity_update: IdentityUpdate;
  matchmaker_lobby_join: LobbyJoin;
}

/**
 * One live event, as a union told apart by `kind`.
 *
 * - `identity_update`: a profile changed or is delivered; `identity` is the whole of it.
 * - `matchmaker_lobby_join`: a player is to join a lobby; `lobby`, `player`, `ports`.
 * - `unknown`: a kind that this library does not know. `name` is its name on the wire (`chat_message`, say) and
 *   `payload` what came with it, so that a game can act on it.
 * - `malformed`: what does not decode, with the reasons and the `raw` value.
 *
 * @example
 * switch (event.kind) {
 *   case 'identity_update': return event.identity.display_name;
 *   case 'unknown': return event.name;
 * }
 */
export type LiveEvent =
  | { [K in keyof KnownEvents]: Stamped & KnownEvents[K] & { readonly kind: K } }[keyof KnownEvents]
  | (Stamped & { readonly kind: 'unknown'; readonly name: string; readonly payload: unknown })
  | { readonly kind: 'malformed'; readonly raw: unknown; readonly errors: readonly DecodeIssue[] };
