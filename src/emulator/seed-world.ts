import type { Emulator } from './emulator.js';
import { personName } from './person-name.js';
import type { SeededWorld } from './seeded-world.js';

/** How large a world {@link seedWorld} makes. */
export interface SeedConfig {
  /** How many members the group has, the identity among them. Default 137. */
  readonly members?: number;
  /** How many slots the lobby has. Default 64. */
  readonly maxPlayers?: number;
  /** The same seed, the same names. Default 1. */
  readonly seed?: number;
}

/**
 * Fills an emulator with a small world: a group, an identity with friends in it, a lobby, and a player token.
 *
 * @example
 * const { identityToken, groupId } = seedWorld(emulator, { members: 20 });
 */
export function seedWorld(emulator: Emulator, config: SeedConfig = {}): SeededWorld {
  const { members = 137, maxPlayers = 64, seed = 1 } = config;
  const name = (n: number) => personName(seed * 31 + n);
  const groupName = 'The Analytical Engine';
  const groupId = emulator.addGroup({ display_name: groupName });
  const me = emulator.addIdentity({ display_name: name(0) });
  emulator.join(groupId, me.identity_id);

  const friendIds: string[] = [];
  for (let i = 1; i < members; i++) {
    const { identity_id } = emulator.addIdentity({ display_name: name(i) });
    emulator.join(groupId, identity_id);
    if (i % 8 !== 1) continue;
    emulator.befriend(me.identity_id, identity_id);
    friendIds.push(identity_id);
  }

  const lobby = emulator.addLobby({ maxPlayers });
  return {
    groupId,
    groupName,
    identityId: me.identity_id,
    identityToken: me.token,
    lobbyId: lobby.lobby_id,
    lobbyToken: lobby.token,
    playerToken: emulator.reservePlayer(lobby.lobby_id),
    friendIds,
  };
}
