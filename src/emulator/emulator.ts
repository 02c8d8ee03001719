import type { GroupHandle, Notification, Presence, Profile } from '../protocol/index.js';
import type { Transport } from '../transport/index.js';
import { checkOptions, type Options } from '../error/index.js';
import { createFaultInjector, type Fault, type FaultCounts, type FaultPlan } from './fault/index.js';
import { inProcessTransport } from './in-process-transport.js';
import { withRecording, type RecordedRequest } from './recorded-request.js';
import {
  serviceOptions,
  serviceSettings,
  serviceUrls,
  type Handler,
  type ServiceConfig,
  type ServiceUrls,
} from './service/index.js';
import {
  addGroup,
  addIdentity,
  addLobby,
  befriend,
  createWorld,
  expireToken,
  joinGroup,
  leaveGroup,
  playersIn,
  playerState,
  publish,
  renewToken,
  reservePlayer,
  saveWorld,
  sendLobbyJoin,
  updatePresence,
  updateProfile,
  worldOptions,
  type AddedIdentity,
  type AddedLobby,
  type LobbyPlan,
  type PlayerCount,
  type PlayerState,
  type SavedWorld,
  type WorldConfig,
} from './world/index.js';

/** The options of {@link createEmulator}. Everything is optional; the defaults are what deployed servers do. */
export interface EmulatorConfig extends WorldConfig, ServiceConfig {}

const OPTIONS: Options<EmulatorConfig> = { ...worldOptions, ...serviceOptions };

/**
 * The whole service in memory. Its world is empty at first. Commands change the world, and requests are answered from it,
 * as deployed servers would. A command throws an `InputError` if it gets an id or token that was never issued, or an
 * unknown or invalid option.
 */
export interface Emulator {
  /** The service as a function, without a network. Most tests use a client with `transport` instead. */
  readonly handle: Handler;
  /** A transport for clients in this process: `createClient({ ...emulator.urls, transport: emulator.transport, token })`. */
  readonly transport: Transport;
  /** A base URL at which `transport` reaches all three services. */
  readonly url: string;
  /** The base URLs of the three services, for clients that use `transport`. */
  readonly urls: ServiceUrls;

  /**
   * Adds an identity with an invented profile, and returns its id and a bearer token. The fields of `profile` override the
   * invented ones.
   *
   * @example
   * const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
   */
  readonly addIdentity: (profile?: Partial<Profile>) => AddedIdentity;
  /** Makes two identities friends: each gets the other's updates as live events. */
  readonly befriend: (identity_id: string, friend_id: string) => void;
  /**
   * Changes a profile. The identity and its friends get an `identity_update`, and watches of the pages of members that show
   * the identity are answered.
   *
   * @example
   * emulator.updateProfile(identity_id, { bio: 'Hello.' });
   */
  readonly updateProfile: (identity_id: string, change: Partial<Omit<Profile, 'identity_id'>>) => void;
  /**
   * Changes the presence in a profile, with the same effects; `null` removes it.
   *
   * @example
   * emulator.updatePresence(identity_id, { status: 'away' });
   */
  readonly updatePresence: (identity_id: string, presence: Omit<Presence, 'update_ts'> | null) => void;
  /**
   * Sends an event to an identity and returns its `ts`. `kind` is sent as it is (interface document, 2.4): its key is the
   * event's kind. It may also be a kind that the library does not know, or nonsense, since a server may send that too.
   *
   * @example
   * emulator.publish(identity_id, { chat_message: { text: 'Hi' } });
   */
  readonly publish: (identity_id: string, kind: object, notification?: Notification) => string;

  /** Adds a group without members and returns its id. The fields of `handle` override the invented ones. */
  readonly addGroup: (handle?: Partial<GroupHandle>) => string;
  /** Makes an identity a member of a group; does nothing if it is one already. */
  readonly join: (group_id: string, identity_id: string) => void;
  /** Removes an identity from a group; does nothing if it is not a member. */
  readonly leave: (group_id: string, identity_id: string) => void;

  /**
   * Adds a lobby, and returns its id and the bearer token for its server.
   *
   * @example
   * const { lobby_id, token } = emulator.addLobby({ maxPlayers: 4 });
   */
  readonly addLobby: (plan?: LobbyPlan) => AddedLobby;
  /** Reserves a slot, as finding or joining a lobby does, and returns the player token. Throws if the lobby is full. */
  readonly reservePlayer: (lobby_id: string) => string;
  /** Reserves a slot too, and sends the player token to an identity in a `matchmaker_lobby_join`. */
  readonly sendLobbyJoin: (identity_id: string, lobby_id: string) => string;
  /** The state of a player token now; `undefined` if it was never issued. */
  readonly playerState: (player_token: string) => PlayerState | undefined;
  /** How many slots of a lobby are reserved now, and how many are connected. */
  readonly playersIn: (lobby_id: string) => PlayerCount;

  /** Makes a bearer token expire: requests with it are answered with 401 from now on. */
  readonly expireToken: (token: string) => void;
  /** Issues another bearer token for the same identity or lobby. */
  readonly renewToken: (token: string) => string;

  /**
   * Makes coming requests go wrong; the function that it returns ends that. If several faults apply to a request, the one
   * planned first happens.
   *
   * @example
   * emulator.fault({ kind: 'html', status: 502 }, { times: 3 });
   */
  readonly fault: (fault: Fault, plan?: FaultPlan) => () => void;
  /** How many requests each kind of fault has happened to. */
  readonly faultCounts: FaultCounts;

  /** The requests so far, oldest first; only the last 10,000 are kept. */
  readonly requests: readonly RecordedRequest[];
  /** The world as it is now, as plain JSON; `createEmulator({ saved })` continues from it. */
  readonly save: () => SavedWorld;
}

/**
 * Makes an emulator of the service, for demos and for your own tests. It opens no port: `listen` does, and its `transport`
 * needs none. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const emulator = createEmulator();
 * const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
 * const client = createClient({ ...emulator.urls, transport: emulator.transport, token });
 * client.events.feed.all$.subscribe(event => console.log(event.kind));
 * emulator.updateProfile(identity_id, { bio: 'Hello.' });
 */
export function createEmulator(config: EmulatorConfig = {}): Emulator {
  checkOptions(config, OPTIONS);
  const world = createWorld(config);
  const injector = createFaultInjector(world, serviceSettings(config));
  const requests: RecordedRequest[] = [];
  const handle = withRecording(injector.handle, world.now, requests);
  const url = 'http://localhost';
  return {
    handle,
    transport: inProcessTransport(handle, world.scheduler),
    url,
    urls: serviceUrls(url),

    addIdentity: profile => addIdentity(world, profile),
    befriend: (identity_id, friend_id) => befriend(world, identity_id, friend_id),
    updateProfile: (identity_id, change) => updateProfile(world, identity_id, change),
    updatePresence: (identity_id, presence) => updatePresence(world, identity_id, presence),
    publish: (identity_id, kind, notification) => publish(world, identity_id, kind, notification),

    addGroup: handle => addGroup(world, handle),
    join: (group_id, identity_id) => joinGroup(world, group_id, identity_id),
    leave: (group_id, identity_id) => leaveGroup(world, group_id, identity_id),

    addLobby: plan => addLobby(world, plan),
    reservePlayer: lobby_id => reservePlayer(world, lobby_id),
    sendLobbyJoin: (identity_id, lobby_id) => sendLobbyJoin(world, identity_id, lobby_id),
    playerState: player_token => playerState(world, player_token),
    playersIn: lobby_id => playersIn(world, lobby_id),

    expireToken: token => expireToken(world, token),
    renewToken: token => renewToken(world, token),

    fault: injector.fault,
    faultCounts: injector.faultCounts,
    requests,
    save: () => saveWorld(world),
  };
}
