import { Acknowledged, nonEmptyString, struct } from '../protocol/index.js';
import { endpoint } from './endpoint.js';

/** matchmaker.players.connected: confirms a player's token (interface document, 4.2). Not idempotent. */
export const playersConnected = endpoint({
  method: 'POST',
  service: 'matchmaker',
  path: '/v1/players/connected',
  body: struct({ player_token: nonEmptyString }),
  response: Acknowledged,
});
