import { EMPTY, fromEvent, mergeMap, share, takeUntil, type Observable } from 'rxjs';
import { createFirstMessageAdmission, createTokenAdmission, REFUSALS } from './admission/index.js';
import { resolveGateConfig, type LobbyGateConfig } from './lobby-gate-config.js';
import type { LobbySocket } from './lobby-socket.js';
import { createHandshake, createRequestPolicy, upgrades, urlToken, type Upgrade } from './upgrade/index.js';

/**
 * The WebSocket gate of a lobby server: emits a player's socket once `players.connected` has said OK to their token, and not
 * before (interface document, 4.2). Everyone else is refused: before the upgrade with an HTTP status and the reason as the
 * body, after it with a close code and the reason. Nothing that they send reaches you.
 *
 * | HTTP | close code | reason, and when                                                                                 |
 * | ---- | ---------- | ------------------------------------------------------------------------------------------------ |
 * | 400  | –          | `no_handshake`: it is not a WebSocket handshake, or the client sent data before it was answered  |
 * | 401  | 4401       | `no_token`: no token, or one that cannot be valid; `invalid_token`: the service does not know it |
 * | 403  | 4403       | the service refused the token: `already_connected`, `registration_expired`…; or `origin`         |
 * | 404  | –          | `no_such_path`: no gate of this server has that path                                             |
 * | –    | 4408       | `no_token_in_time`                                                                               |
 * | –    | 4413       | the player sent more than may be held, or does not read what they are sent                       |
 * | 429  | –          | `address`: too many connections from that address                                                |
 * | 500  | –          | `hook_failed`                                                                                    |
 * | 503  | 4424       | `unknown`: the service's answer was lost; `not_sent`: it was not reached; or it refused the lobby |
 * | 503  | 4429       | `busy`: too many tokens are being confirmed, or toInput as a first message                        |
 * | 503  | 1001       | `gate_closed`: the gate was unsubscribed from                                                    |
 *
 * A browser does not show a page the HTTP status, only close code 1006: let pages send their token as the first message.
 *
 * The gate is shared: it listens to the server once, however many subscribe. It never errors, and completes when the server
 * emits `close`, which is after its last connection has closed. Unsubscribing stops admitting, and refuses clients whose
 * token is not confirmed yet. Players who are in stay connected, and `onGone` is still called for them.
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
