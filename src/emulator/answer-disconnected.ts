import { of, type Observable } from 'rxjs';
import { bearerOf } from './bearer-of.js';
import type { Call } from './call.js';
import { playerOf } from './player-of.js';
import type { World } from './world.js';

/** matchmaker.players.disconnected: outside the interface document, and served because lobbies free their slots by it. */
export function answerDisconnected(call: Call, world: World): Observable<unknown> {
  playerOf(call, bearerOf('lobby', call, world), world).state = 'removed';
  return of({});
}
