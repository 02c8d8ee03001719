import type { Call } from './call.js';
import type { PlayerRecord } from './player-record.js';
import { Refusal } from './refusal.js';
import type { World } from './world.js';

/** The player whose token a call's body carries; refuses a token that nobody issued, or for another lobby. */
export function playerOf({ body }: Call, lobby_id: string, { players }: World): PlayerRecord {
  const { player_token } = Object(body) as { player_token?: unknown };
  const player = typeof player_token === 'string' ? players.get(player_token) : undefined;
  if (!player) throw new Refusal(400, 'TOKEN_ERROR', 'The player token is invalid.');
  if (player.lobby_id !== lobby_id) {
    throw new Refusal(400, 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY', 'The player token is for another lobby.');
  }
  return player;
}
