import { InputError } from '../error/index.js';
import { findRecord } from './find-record.js';
import { issueToken } from './issue-token.js';
import { playerState } from './player-state.js';
import { playersIn } from './players-in.js';
import type { World } from './world.js';

/**
 * Issues a player token, as finding or joining a lobby does, and reserves a slot with it. Throws where no slot is free.
 */
export const reservePlayer =
  (world: World) =>
  (lobby_id: string): string => {
    const { maxPlayers } = findRecord(world.lobbies, 'lobby_id', lobby_id);
    const { reserved, connected } = playersIn(lobby_id, world);
    if (reserved + connected >= maxPlayers) {
      throw new InputError('lobby_id', 'a lobby with a free slot', `one whose ${maxPlayers} slots are taken`);
    }
    forgetOldPlayers(world);
    const token = issueToken('player', world);
    world.players.set(token, { lobby_id, reservedAt: world.now(), state: 'reserved' });
    return token;
  };

/** Players that are gone are remembered by so many, to be told why they are refused; an emulator may run for weeks. */
const MOST = 10_000;

function forgetOldPlayers(world: World): void {
  if (world.players.size < MOST) return;
  for (const [token, player] of world.players) {
    const state = playerState(player, world);
    if (state === 'expired' || state === 'removed') world.players.delete(token);
  }
}
