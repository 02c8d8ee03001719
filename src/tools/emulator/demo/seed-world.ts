import { lobbyAddress } from '../../../protocol/index.js';
import { checkOptions, positiveInteger, type Options } from '../../../error/index.js';
import type { Emulator } from '../emulator.js';
import { lobbyPorts, seedNumber, type LobbyPlan } from '../world/index.js';
import { personName } from './person-name.js';

/** The options of {@link seedWorld}. All are optional. */
export interface SeedConfig {
  /** The number of members of the group, including the identity. Default 137. */
  readonly members?: number;
  /** The number of slots of the lobby. Default 64. */
  readonly maxPlayers?: number;
  /**
   * The ports of the lobby, by name. Its lobby joins contain them. Default: one port of an
   * imaginary host.
   */
  readonly ports?: LobbyPlan['ports'];
  /** The seed of the names, an integer. The same seed gives the same names. Default 1. */
  readonly seed?: number;
}

const OPTIONS: Options<SeedConfig> = {
  members: positiveInteger,
  maxPlayers: positiveInteger,
  ports: lobbyPorts,
  seed: seedNumber,
};

/** The ids and tokens that {@link seedWorld} has added to the emulator. */
export interface SeededWorld {
  readonly groupId: string;
  readonly groupName: string;
  /** The identity that receives the live events. It is a member of the group. */
  readonly identityId: string;
  readonly identityToken: string;
  readonly lobbyId: string;
  /**
   * The WebSocket URL of the lobby, without a token. `undefined` unless `ports` has exactly one
   * port, and that port has a number.
   */
  readonly lobbyUrl: string | undefined;
  /** The bearer token of the lobby server. */
  readonly lobbyToken: string;
  /** A player token for the lobby. It is reserved but not yet confirmed. */
  readonly playerToken: string;
  /** The friends of the identity in the group. The identity receives their updates. */
  readonly friendIds: readonly string[];
}

/**
 * Fills an emulator with a small world. It has a group, an identity with friends in the group, a
 * lobby, and a player token. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const { identityToken, groupId } = seedWorld(emulator, { members: 20 });
 */
export function seedWorld(emulator: Emulator, config: SeedConfig = {}): SeededWorld {
  checkOptions(config, OPTIONS);
  const { members = 137, maxPlayers = 64, seed = 1, ports } = config;
  const name = (n: number) => personName(seed * 31 + n);
  const groupName = 'The Analytical Engine';
  const groupId = emulator.addGroup({ display_name: groupName });
  const me = emulator.addIdentity({ display_name: name(0) });
  emulator.join(groupId, me.identity_id);

  const friendIds: string[] = [];
  for (let i = 1; i < members; i++) {
    const { identity_id } = emulator.addIdentity({ display_name: name(i) });
    emulator.join(groupId, identity_id);
    // One member in eight is a friend.
    if (i % 8 !== 1) continue;
    emulator.befriend(me.identity_id, identity_id);
    friendIds.push(identity_id);
  }

  const lobby = emulator.addLobby({ maxPlayers, ...(ports && { ports }) });
  return {
    groupId,
    groupName,
    identityId: me.identity_id,
    identityToken: me.token,
    lobbyId: lobby.lobby_id,
    lobbyUrl: urlOf(ports),
    lobbyToken: lobby.token,
    playerToken: emulator.reservePlayer(lobby.lobby_id),
    friendIds,
  };
}

function urlOf(ports: LobbyPlan['ports'] = {}): string | undefined {
  const [port, ...more] = Object.values(ports);
  return port?.port == null || more.length > 0 ? undefined : lobbyAddress({ ports }).url;
}
