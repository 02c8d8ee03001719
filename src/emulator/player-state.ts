import type { PlayerRecord, PlayerState } from './player-record.js';
import type { World } from './world.js';

/** The state that a player's token is in now. */
export function playerState({ state, reservedAt }: PlayerRecord, { now, config }: World): PlayerState {
  return state === 'reserved' && now() - reservedAt >= config.reservation ? 'expired' : state;
}
