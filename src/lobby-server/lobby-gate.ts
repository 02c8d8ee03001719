import { EMPTY, fromEvent, mergeMap, share, takeUntil, type Observable } from 'rxjs';
import { createFirstMessageAdmission, createTokenAdmission, REFUSALS } from './admission/index.js';
import { resolveGateConfig, type LobbyGateConfig } from './lobby-gate-config.js';
import type { LobbySocket } from './lobby-socket.js';
import { createHandshake, createRequestPolicy, upgrades, urlToken, type Upgrade } from './upgrade/index.js';

/**
 * The WebSocket gate of a lobby server: emits a player's socket once `players.connected` has answered OK for their token, and
 * not before (interface document, 4.2). Everyone else is refused: before the upgrade with an HTTP status and the reason as
 * the body, after it with a close code and the reason. Messages of refused clients never reach you.
 *
 * | HTTP | close code | reason, and when                                                                                 |
 * | ---- | ---------- | ------------------------------------------------------------------------------------------------ |
 * | 400  | –          | `no_handshake`: not a WebSocket handshake, or the client sent data before the answer             |
 * | 401  | 4401       | `no_token`: no token, or one that cannot be valid; `invalid_token`: unknown to the service       |
 * | 403  | 4403       | the service refused the token: `already_connected`, `registration_expired`…; or `origin`         |
 * | 404  | –          | `no_such_path`: no gate of this server handles that path                                         |
 * | –    | 4408       | `no_token_in_time`                                                                               |
 * | –    | 4413       | the player sent more than may be held, or does not read what is sent to them                     |
 * | 429  | –          | `address`: too many connections from that address                                                |
 * | 500  | –          | `hook_failed`                                                                                    |
 * | 503  | 4424       | `unknown`: the answer was lost; `not_sent`: the service was not reached; or it refused the lobby  |
 * | 503  | 4429       | `busy`: too many tokens are being confirmed or awaited as first messages                         |
 * | 503  | 1001       | `gate_closed`: the gate was unsubscribed from                                                    |
 *
 * Scripts in a browser never see the HTTP status, only close code 1006: let them send the token as the first message.
 *
 * The gate is shared: it adds one listener to the server, regardless of the number of subscribers. It never errors, and
 * completes when the server emits `close`, which is after its last connection has closed. Unsubscribing stops admission and
 * refuses clients whose token is not confirmed yet. Admitted players stay connected, and `onGone` is still called for them.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * const server = createServer().listen(8080);
 * lobbyGate({ server, client }).subscribe(player => {
 *   player.message$.subscribe(message => console.log(message));
 *   player.send('Welcome.');
 * });
 */
export function lobbyGate(config: LobbyGateConfig): Observable<LobbySocket> {
  const settings = resolveGateConfig(config);
  const checkPolicy = createRequestPolicy(settings);
  const handshake = createHandshake(settings);
  const admit = createTokenAdmission(settings);
  const admitByMessage =
    settings.firstMessage && createFirstMessageAdmission(settings.firstMessage, settings, admit);

  const receive = (upgrade: Upgrade): Observable<LobbySocket> => {
    const { url = '/', headers } = upgrade.request;
    const { token, url: urlWithoutToken } = urlToken(url, settings.tokenParameter);
    const { address, refusal } = checkPolicy(upgrade);
    const pending = handshake(upgrade, { address, headers, url: urlWithoutToken });
    if (pending && !refusal && token !== undefined) return admit(pending, token);
    if (pending && !refusal && admitByMessage) return admitByMessage(pending);
    pending?.reject(refusal ?? REFUSALS.noToken);
    return EMPTY;
  };
  return upgrades(settings).pipe(mergeMap(receive), takeUntil(fromEvent(settings.server, 'close')), share());
}
