import { of } from 'rxjs';
import { stateOf, type PlayerRecord, type World } from '../world/index.js';
import { callerOf, Rejection, type Answer, type Call } from './call.js';

/**
 * Answers matchmaker.players.connected (docs/the-service.md, 3 and 4.2). A reserved player becomes
 * connected, once.
 */
export const playerConnectedAnswer: Answer = (call, world) => {
  const player = findPlayer(call, world);
  switch (stateOf(world, player)) {
    case 'connected':
      throw new Rejection(400, 'MATCHMAKER_PLAYER_ALREADY_CONNECTED', 'The player is already connected.');
    case 'expired':
      throw new Rejection(
        400,
        'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED',
        'The player did not connect in time.',
      );
    case 'removed':
      throw new Rejection(400, 'MATCHMAKER_PLAYER_REMOVED', 'The player was removed.');
    case 'reserved':
      player.state = 'connected';
      return of({});
  }
};

/**
 * Answers matchmaker.players.disconnected, with which lobbies free slots. The endpoint is not in
 * docs/the-service.md.
 */
export const playerDisconnectedAnswer: Answer = (call, world) => {
  findPlayer(call, world).state = 'removed';
  return of({});
};

/**
 * The player whose token is in the body. Throws a {@link Rejection} for a token that was never
 * issued or belongs to another lobby.
 */
function findPlayer(call: Call, world: World): PlayerRecord {
  const lobby_id = callerOf('lobby', call, world);
  const { player_token } = Object(call.body) as { player_token?: unknown };
  const player = typeof player_token === 'string' ? world.players.get(player_token) : undefined;
  if (!player) throw new Rejection(400, 'TOKEN_ERROR', 'The player token is invalid.');
  if (player.lobby_id !== lobby_id) {
    throw new Rejection(
      400,
      'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY',
      'The player token is for another lobby.',
    );
  }
  return player;
}
