import type { Observable } from 'rxjs';
import type { Transport } from '../transport/index.js';
import type { addGroup } from './add-group.js';
import type { addIdentity } from './add-identity.js';
import type { addLobby } from './add-lobby.js';
import type { befriend } from './befriend.js';
import type { EmulatedRequest } from './emulated-request.js';
import type { EmulatedResponse } from './emulated-response.js';
import type { expireToken } from './expire-token.js';
import type { FaultInjector } from './fault-injector.js';
import type { join } from './join.js';
import type { leave } from './leave.js';
import type { PlayerState } from './player-record.js';
import type { publish } from './publish.js';
import type { RecordedRequest } from './recorded-request.js';
import type { renewToken } from './renew-token.js';
import type { reservePlayer } from './reserve-player.js';
import type { SavedWorld } from './saved-world.js';
import type { sendLobbyJoin } from './send-lobby-join.js';
import type { updatePresence } from './update-presence.js';
import type { updateProfile } from './update-profile.js';

/**
 * The whole service in memory. Its world is empty at first; commands fill and move it, and the requests of clients are
 * answered from it as deployed servers would.
 */
export interface Emulator {
  /** The service itself: a request in, one response out when its time has come; unsubscribing hangs up. */
  readonly handle: (request: EmulatedRequest) => Observable<EmulatedResponse>;
  /** The same for a client in this process, without a network: `createClient({ ...emulator.urls, transport, token })`. */
  readonly transport: Transport;
  /** Addresses for a client that uses `transport`. */
  readonly urls: { readonly groupUrl: string; readonly matchmakerUrl: string; readonly apiUrl: string };
  /**
   * Plans a fault for the requests to come; what it returns takes it back. The one planned first goes first.
   *
   * @example
   * emulator.fault({ kind: 'html', status: 502 }, { times: 3 });
   */
  readonly fault: FaultInjector['fault'];
  /** How many requests each kind of fault has befallen. */
  readonly befallen: FaultInjector['befallen'];
  /** The world as it stands, as plain JSON; `createEmulator({ saved })` goes on with it. */
  readonly save: () => SavedWorld;
  /** What was asked so far, the oldest first; the last 10,000 requests. */
  readonly requests: readonly RecordedRequest[];

  /** Adds an identity, with a profile made up but for what is given, and returns its id and its bearer token. */
  readonly addIdentity: ReturnType<typeof addIdentity>;
  /** Two identities follow each other from now on: each gets the other's updates in its live events. */
  readonly befriend: ReturnType<typeof befriend>;
  /** A profile changes: an `identity_update` for the identity and its friends, and an answer for watches of its groups. */
  readonly updateProfile: ReturnType<typeof updateProfile>;
  /** A presence changes, or is taken back with `null`; it is told as a profile's change is. */
  readonly updatePresence: ReturnType<typeof updatePresence>;
  /** Sends any event to an identity, of kinds the library does not know too, with a notification or without. */
  readonly publish: ReturnType<typeof publish>;

  /** Adds a group without members, and returns its id. */
  readonly addGroup: ReturnType<typeof addGroup>;
  /** An identity joins a group. */
  readonly join: ReturnType<typeof join>;
  /** An identity leaves a group. */
  readonly leave: ReturnType<typeof leave>;

  /** Adds a lobby, and returns its id and the bearer token of its server. */
  readonly addLobby: ReturnType<typeof addLobby>;
  /** Reserves a slot and issues a player token, as finding or joining a lobby does; throws where no slot is free. */
  readonly reservePlayer: ReturnType<typeof reservePlayer>;
  /** Does the same, and sends the token to an identity in a `matchmaker_lobby_join`. */
  readonly sendLobbyJoin: ReturnType<typeof sendLobbyJoin>;
  /** The state of a player token; `undefined` where it was never issued. */
  readonly playerState: (player_token: string) => PlayerState | undefined;
  /** How many slots of a lobby are reserved, and how many connected. */
  readonly playersIn: (lobby_id: string) => { reserved: number; connected: number };

  /** A bearer token runs out: requests with it are answered 401. */
  readonly expireToken: ReturnType<typeof expireToken>;
  /** A fresh bearer token for the same identity or lobby. */
  readonly renewToken: ReturnType<typeof renewToken>;
}
