import { EMPTY, fromEvent, mergeMap, share, takeUntil, type Observable } from 'rxjs';
import { createAdmissions } from './admissions.js';
import { gateSettings } from './gate-settings.js';
import type { LobbyGateConfig } from './lobby-gate-config.js';
import type { LobbySocket } from './lobby-socket.js';
import { createReception } from './reception.js';
import { REFUSALS } from './refusals.js';
import { upgrades } from './upgrades.js';
import { createWaitingRoom } from './waiting-room.js';

/**
 * The gate of a lobby's server: emits a player's socket when `players.connected` has said OK to his token, and not before
 * (interface document, 4.2). Anyone else is turned away: before the upgrade with an HTTP status, after it with a close
 * code, and nothing that he sends is heard.
 *
 * | HTTP | close code | when                                                                     |
 * | ---- | ---------- | ------------------------------------------------------------------------ |
 * | 401  | 4401       | there is no token, or one that cannot be any                             |
 * | 403  | 4403       | the service refused it, its reason is told; or the origin is not allowed |
 * | –    | 4408       | no token came in time                                                    |
 * | –    | 4413       | more was sent than may be held, or not read what was sent to him         |
 * | 503  | 4424       | the service was not reached, or its answer was lost                      |
 * | 503  | 4429       | too many tokens are being confirmed; 429 for one address                 |
 * | 503  | 1001       | the gate was left                                                        |
 *
 * Shared: however many subscribe, the server is listened to once. It completes when the server closes, and has no errors.
 * Unsubscribing stops admitting and turns away who waits; who is in stays in.
 *
 * Throws an `InputError` where the config cannot be meant.
 *
 * @example
 * const server = createServer().listen(8080);
 * lobbyGate({ server, client }).subscribe(socket => {
 *   socket.message$.subscribe(message => console.log(message));
 *   socket.send('Welcome.');
 * });
 */
export function lobbyGate(config: LobbyGateConfig): Observable<LobbySocket> {
  const settings = gateSettings(config);
  const receive = createReception(settings);
  const admissions = createAdmissions(settings);
  const waitingRoom = createWaitingRoom(settings, admissions);

  return upgrades(settings).pipe(
    mergeMap(upgrade => {
      const received = receive(upgrade);
      if (!received) return EMPTY;
      const { visitor, token } = received;
      if (token !== undefined) return admissions.admit(visitor, token);
      if (settings.firstMessage) return waitingRoom.hear(visitor);
      visitor.turnAway(REFUSALS.noToken);
      return EMPTY;
    }),
    takeUntil(fromEvent(settings.server, 'close')),
    share(),
  );
}
