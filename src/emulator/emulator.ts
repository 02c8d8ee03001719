import type { GroupHandle, Notification, Presence, Profile } from '../protocol/index.js';
import type { Transport } from '../transport/index.js';
import type { AddedIdentity } from './add-identity.js';
import type { AddedLobby, LobbyPlan } from './add-lobby.js';
import type { Fault } from './fault.js';
import type { FaultPlan } from './fault-plan.js';
import type { Handler } from './handler.js';
import type { PlayerState } from './player-record.js';
import type { RecordedRequest } from './recorded-request.js';
import type { SavedWorld } from './saved-world.js';

/**
 * The whole service in memory. Its world is empty at first; commands fill and move it, and the requests of clients are
 * answered from it as deployed servers would. A command about an id or token that was never given out throws an
 * `InputError`.
 */
export interface Emulator {
  /** The service itself: a request in, one response out when its time has come; unsubscribing hangs up. */
  readonly handle: Handler;
  /** The same for a client in this process, without a network: `createClient({ ...emulator.urls, transport, token })`. */
  readonly transport: Transport;
  /** Addresses for a client that uses `transport`. */
  readonly urls: { readonly groupUrl: string; readonly matchmakerUrl: string; readonly apiUrl: string };

  /**
   * Adds an identity and returns its id and its bearer token. Its profile is made up, but for what is given.
   *
   * @example
   * const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
   */
  readonly addIdentity: (profile?: Partial<Profile>) => AddedIdentity;
  /** Two identities follow each other from now on: each gets the other's updates in its live events. */
  readonly befriend: (identity_id: string, friend_id: string) => void;
  /**
   * A profile changes: the identity and its friends get an `identity_update`, and the watches of the pages of members that
   * it stands on are answered.
   *
   * @example
   * emulator.updateProfile(identity_id, { bio: 'Hello.' });
   */
  readonly updateProfile: (identity_id: string, change: Partial<Omit<Profile, 'identity_id'>>) => void;
  /**
   * A presence changes, or is taken back with `null`; it is told as a profile's change is.
   *
   * @example
   * emulator.updatePresence(identity_id, { status: 'away' });
   */
  readonly updatePresence: (identity_id: string, presence: Omit<Presence, 'update_ts'> | null) => void;
  /**
   * Sends an event to an identity, and returns its `ts`. `kind` is the wire's own object, its key the event's kind: one that
   * the library knows, any other, or nonsense, since a server may send that too.
   *
   * @example
   * emulator.publish(identity_id, { chat_message: { text: 'Hi' } });
   */
  readonly publish: (identity_id: string, kind: object, notification?: Notification) => string;

  /** Adds a group without members and returns its id. It is made up, but for what is given. */
  readonly addGroup: (handle?: Partial<GroupHandle>) => string;
  /** An identity joins a group; nothing happens where it is a member already. */
  readonly join: (group_id: string, identity_id: string) => void;
  /** An identity leaves a group; nothing happens where it is no member. */
  readonly leave: (group_id: string, identity_id: string) => void;

  /**
   * Adds a lobby, and returns its id and the bearer token of its server.
   *
   * @example
   * const { lobby_id, token } = emulator.addLobby({ maxPlayers: 4 });
   */
  readonly addLobby: (plan?: LobbyPlan) => AddedLobby;
  /** Reserves a slot and returns a player token, as finding or joining a lobby does; throws where no slot is free. */
  readonly reservePlayer: (lobby_id: string) => string;
  /** Does the same, and sends the token to an identity in a `matchmaker_lobby_join`. */
  readonly sendLobbyJoin: (identity_id: string, lobby_id: string) => string;
  /** The state of a player token; `undefined` where it was never issued. */
  readonly playerState: (player_token: string) => PlayerState | undefined;
  /** How many slots of a lobby are reserved, and how many connected. */
  readonly playersIn: (lobby_id: string) => { readonly reserved: number; readonly connected: number };

  /** A bearer token runs out: requests with it are answered 401 from now on. */
  readonly expireToken: (token: string) => void;
  /** A fresh bearer token for the same identity or lobby. */
  readonly renewToken: (token: string) => string;

  /**
   * Plans a fault for the requests to come; what it returns takes it back. The one planned first goes first.
   *
   * @example
   * emulator.fault({ kind: 'html', status: 502 }, { times: 3 });
   */
  readonly fault: (fault: Fault, plan?: FaultPlan) => () => void;
  /** How many requests each kind of fault has befallen. */
  readonly befallen: Readonly<Partial<Record<Fault['kind'], number>>>;

  /** What was asked so far, the oldest first; the last 10,000 requests. */
  readonly requests: readonly RecordedRequest[];
  /** The world as it stands, as plain JSON; `createEmulator({ saved })` goes on with it. */
  readonly save: () => SavedWorld;
}
