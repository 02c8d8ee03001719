import { of, type Observable } from 'rxjs';
import { bearerOf } from './bearer-of.js';
import type { Call } from './call.js';
import { playerOf } from './player-of.js';
import { playerState } from './player-state.js';
import { Refusal } from './refusal.js';
import type { World } from './world.js';

/** matchmaker.players.connected: reserved becomes connected, once (interface document, 3). */
export function answerConnected(call: Call, world: World): Observable<unknown> {
  const player = playerOf(call, bearerOf('lobby', call, world), world);
  switch (playerState(player, world)) {
    case 'connected':
      throw new Refusal(400, 'MATCHMAKER_PLAYER_ALREADY_CONNECTED', 'The player is already connected.');
    case 'expired':
      throw new Refusal(400, 'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED', 'The player did not connect in time.');
    case 'removed':
      throw new Refusal(400, 'MATCHMAKER_PLAYER_REMOVED', 'The player was removed.');
    case 'reserved':
      player.state = 'connected';
      return of({});
  }
}
