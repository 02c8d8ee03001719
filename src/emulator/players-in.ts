import { playerState } from './player-state.js';
import type { World } from './world.js';

/** How many slots of a lobby are taken: by players, and by tokens that may still become players. */
export function playersIn(lobby_id: string, world: World): { reserved: number; connected: number } {
  const count = { reserved: 0, connected: 0 };
  for (const player of world.players.values()) {
    if (player.lobby_id !== lobby_id) continue;
    const state = playerState(player, world);
    if (state === 'reserved' || state === 'connected') count[state]++;
  }
  return count;
}
