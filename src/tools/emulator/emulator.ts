import type { GroupHandle, Notification, Presence, Profile } from '../../protocol/index.js';
import type { Transport } from '../../transport/index.js';
import { checkOptions, type Options } from '../../error/index.js';
import {
  createFaultInjector,
  type Fault,
  type FaultCounts,
  type FaultPlan,
  type PlannedFault,
} from './fault/index.js';
import { inProcessTransport } from './in-process-transport.js';
import { withRequests, type RecordedRequest } from './recorded-request.js';
import {
  serviceOptions,
  serviceSettings,
  serviceUrls,
  type Handler,
  type ServiceConfig,
  type ServiceUrls,
} from './service/index.js';
import {
  createWorld,
  recordsOf,
  worldCommands,
  worldOptions,
  type AddedIdentity,
  type AddedLobby,
  type LobbyPlan,
  type PlayerCount,
  type PlayerState,
  type SavedWorld,
  type WorldConfig,
  type WorldRecords,
} from './world/index.js';

/**
 * The options of {@link createEmulator}. All are optional. The defaults are the values of deployed
 * servers.
 */
export interface EmulatorConfig extends WorldConfig, ServiceConfig {}

const OPTIONS: Options<EmulatorConfig> = { ...worldOptions, ...serviceOptions };

/**
 * The whole service in memory. Its world is empty at first. Commands change the world. The emulator
 * answers requests from its world, in the way that deployed servers do. Commands throw an
 * `InputError` for ids and tokens that were never issued, and for unknown or invalid options.
 */
export interface Emulator {
  /**
   * The service as a function, without a network. Most tests use a client with `transport` instead.
   */
  readonly handle: Handler;
  /**
   * A transport for clients in this process: `createClient({ ...emulator.urls, transport:
   * emulator.transport, token })`.
   */
  readonly transport: Transport;
  /** A base URL at which `transport` reaches all three services. */
  readonly url: string;
  /** The base URLs of the three services, for clients that use `transport`. */
  readonly urls: ServiceUrls;

  /**
   * Adds an identity with a generated profile, and returns its id and a bearer token. The fields of
   * `profile` override the generated ones.
   *
   * @example
   * const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
   */
  readonly addIdentity: (profile?: Partial<Profile>) => AddedIdentity;
  /** Makes two identities friends. Each receives the other's updates as live events. */
  readonly befriend: (identity_id: string, friend_id: string) => void;
  /**
   * Changes a profile. The identity and its friends receive an `identity_update`, and watches of
   * member pages that contain the identity are answered.
   *
   * @example
   * emulator.updateProfile(identity_id, { bio: 'Hello.' });
   */
  readonly updateProfile: (identity_id: string, change: Partial<Omit<Profile, 'identity_id'>>) => void;
  /**
   * Changes the presence in a profile, with the same effects. `null` removes it.
   *
   * @example
   * emulator.updatePresence(identity_id, { status: 'away' });
   */
  readonly updatePresence: (identity_id: string, presence: Omit<Presence, 'update_ts'> | null) => void;
  /**
   * Sends an event to an identity and returns its `ts`. `kind` is sent unchanged
   * (docs/the-service.md, 2.4). Its key is the name of the event's kind. An unknown or invalid
   * `kind` is sent as well, because a server may send such an event.
   *
   * @example
   * emulator.publish(identity_id, { chat_message: { text: 'Hi' } });
   */
  readonly publish: (identity_id: string, kind: object, notification?: Notification) => string;

  /**
   * Adds a group without members and returns its id. The fields of `handle` override the generated
   * ones.
   */
  readonly addGroup: (handle?: Partial<GroupHandle>) => string;
  /** Adds an identity to a group. Does nothing if it is already a member. */
  readonly join: (group_id: string, identity_id: string) => void;
  /** Removes an identity from a group. Does nothing if it is not a member. */
  readonly leave: (group_id: string, identity_id: string) => void;

  /**
   * Adds a lobby, and returns its id and the bearer token for the lobby server.
   *
   * @example
   * const { lobby_id, token } = emulator.addLobby({ maxPlayers: 4 });
   */
  readonly addLobby: (plan?: LobbyPlan) => AddedLobby;
  /**
   * Reserves a slot, as finding or joining a lobby does, and returns the player token. Throws if
   * the lobby is full.
   */
  readonly reservePlayer: (lobby_id: string) => string;
  /**
   * Like `reservePlayer`, but also sends the player token to an identity in a
   * `matchmaker_lobby_join`.
   */
  readonly sendLobbyJoin: (identity_id: string, lobby_id: string) => string;
  /** The current state of a player token. `undefined` if it was never issued. */
  readonly playerState: (player_token: string) => PlayerState | undefined;
  /** The current number of reserved and connected slots of a lobby. */
  readonly playersIn: (lobby_id: string) => PlayerCount;

  /** Makes a bearer token expire. From now on, requests with it are answered with 401. */
  readonly expireToken: (token: string) => void;
  /** Issues another bearer token for the same identity or lobby. */
  readonly renewToken: (token: string) => string;

  /**
   * Makes upcoming requests fail. Call the returned function to stop that. If several faults apply
   * to a request, the one that was planned first happens.
   *
   * @example
   * emulator.fault({ kind: 'html', status: 502 }, { times: 3 });
   */
  readonly fault: (fault: Fault, plan?: FaultPlan) => () => void;
  /** The number of requests affected by each kind of fault. */
  readonly faultCounts: FaultCounts;
  /** The faults that are still to come, in the order in which they were planned. */
  readonly plannedFaults: () => readonly PlannedFault[];

  /** The requests so far, oldest first. Only the last 10,000 are kept. */
  readonly requests: readonly RecordedRequest[];
  /**
   * The current world. It is only for reading.
   *
   * @example
   * emulator.records.groups.get(group_id)?.members.has(identity_id);
   */
  readonly records: WorldRecords;
  /** Returns a copy of the world as plain JSON. `createEmulator({ saved })` continues from it. */
  readonly save: () => SavedWorld;
}

/**
 * Creates an emulator of the service, for demos and for your own tests. It opens no port. Use its
 * `transport` in the same process, or `listen` to serve it over HTTP. Throws an `InputError` if the
 * config is invalid.
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
  const handle = withRequests(injector.handle, world.now, requests);
  const url = 'http://localhost';
  return {
    handle,
    transport: inProcessTransport(handle, world.scheduler),
    url,
    urls: serviceUrls(url),
    ...worldCommands(world),
    fault: injector.fault,
    faultCounts: injector.faultCounts,
    plannedFaults: injector.plannedFaults,
    requests,
    records: recordsOf(world),
  };
}
