import { EMPTY, fromEvent, mergeMap, share, takeUntil, type Observable } from 'rxjs';
import { createAdmit } from './admit.js';
import { createAdmitByMessage } from './admit-by-message.js';
import { gateSettings } from './gate-settings.js';
import { createHandshake } from './handshake.js';
import type { LobbyGateConfig } from './lobby-gate-config.js';
import type { LobbySocket } from './lobby-socket.js';
import { REFUSALS } from './refusals.js';
import { createScreening } from './screening.js';
import type { Upgrade } from './upgrade.js';
import { upgrades } from './upgrades.js';
import { urlToken } from './url-token.js';

/**
 * The gate of a lobby's server: emits a player's socket when `players.connected` has said OK to his token, and not before
 * (interface document, 4.2). Anyone else is turned away: before the upgrade with an HTTP status and the reason as its
 * text, after it with a close code and the reason; and nothing that he sends is heard. A browser tells its page nothing of
 * an HTTP status, only 1006: let pages send their token as the first message.
 *
 * | HTTP | close code | when                                                                                   |
 * | ---- | ---------- | -------------------------------------------------------------------------------------- |
 * | 400  | –          | `no_handshake`, or something was sent before it was answered                           |
 * | 401  | 4401       | `no_token`: there is none, or one that cannot be any; `invalid_token`, says the service |
 * | 403  | 4403       | the service refused it: `already_connected`, `registration_expired`…; `origin`          |
 * | 404  | –          | `no_such_path`: it is for no gate of this server                                       |
 * | –    | 4408       | `no_token_in_time`                                                                     |
 * | –    | 4413       | more was sent than is held, or what was sent to him is not read                        |
 * | 429  | –          | `address`: there are too many from there                                               |
 * | 500  | –          | `hook_failed`                                                                          |
 * | 503  | 4424       | `unknown`, `not_sent`…: its answer was lost, it was not reached, it is not for the player |
 * | 503  | 4429       | `busy`: too many are being dealt with                                                  |
 * | 503  | 1001       | `gate_closed`: it was unsubscribed from                                                |
 *
 * Shared: however many subscribe, the server is listened to once. It has no errors, and completes when the server has
 * closed, which it has when the last connection has. Unsubscribing stops admitting and turns away who waits; who is in
 * stays in, and is still told to `onGone`.
 *
 * Throws an `InputError` where the config cannot be meant.
 *
 * @example
 * const server = createServer().listen(8080);
 * lobbyGate({ server, client }).subscribe(player => {
 *   player.message$.subscribe(message => console.log(message));
 *   player.send('Welcome.');
 * });
 */
export function lobbyGate(config: LobbyGateConfig): Observable<LobbySocket> {
  const settings = gateSettings(config);
  const screen = createScreening(settings);
  const handshake = createHandshake(settings);
  const admit = createAdmit(settings);
  const admitByMessage =
    settings.firstMessage && createAdmitByMessage(settings.firstMessage, settings, admit);

  const receive = (upgrade: Upgrade): Observable<LobbySocket> => {
    const { url = '/', headers } = upgrade.request;
    const { token, url: withoutToken } = urlToken(url, settings.tokenParameter);
    const { address, refusal } = screen(upgrade);
    const candidate = handshake(upgrade, { address, headers, url: withoutToken });
    if (candidate && !refusal && token !== undefined) return admit(candidate, token);
    if (candidate && !refusal && admitByMessage) return admitByMessage(candidate);
    candidate?.reject(refusal ?? REFUSALS.noToken);
    return EMPTY;
  };
  return upgrades(settings).pipe(mergeMap(receive), takeUntil(fromEvent(settings.server, 'close')), share());
}
