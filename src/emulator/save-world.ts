import type { SavedWorld } from './saved-world.js';
import type { World } from './world.js';

/** A world as it stands now. */
export function saveWorld(world: World): SavedWorld {
  return structuredClone({
    tick: world.tick(),
    identities: [...world.identities].map(
      ([id, record]) => [id, { ...record, friends: [...record.friends] }] as const,
    ),
    groups: [...world.groups].map(
      ([id, record]) => [id, { ...record, members: [...record.members] }] as const,
    ),
    lobbies: [...world.lobbies],
    players: [...world.players],
    bearers: [...world.bearers],
  });
}
