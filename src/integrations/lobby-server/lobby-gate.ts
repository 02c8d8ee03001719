import { EMPTY, finalize, mergeMap, share, takeUntil, tap, type Observable } from 'rxjs';
import {
  createFirstMessageAdmission,
  createGatePlaces,
  createHookQueue,
  createTokenAdmission,
  createTokenConfirmation,
  REFUSALS,
} from './admission/index.js';
import { createGateCounter, type GateStats } from './gate-stats.js';
import { resolveGateConfig, type LobbyGateConfig } from './lobby-gate-config.js';
import type { LobbySocket } from './lobby-socket.js';
import { closeOf } from './allow-listener.js';
import {
  createHandshake,
  createRequestPolicy,
  createTokenSource,
  upgrades,
  type Upgrade,
} from './upgrade/index.js';

/** A gate: the sockets of the players whom it has admitted, and its figures. */
export type LobbyGate = Observable<LobbySocket> & {
  /**
   * The figures of the gate: the present ones at once, then once a second if they have changed. Cold; it never errors, and
   * completes when the server emits `close`, with the last figures. It starts no gate: subscribe to the gate itself for that.
   */
  readonly stats$: Observable<GateStats>;
};

/**
 * The WebSocket gate of a lobby server: emits a player's socket once `players.connected` has answered OK for their token, and
 * not before (interface document, 4.2). Everyone else is refused: before the upgrade with an HTTP status and the reason as
 * the body, after it with a close code and the reason. Messages of refused clients never reach you.
 *
 * | HTTP | close code | reason, and when                                                                           |
 * | ---- | ---------- | ------------------------------------------------------------------------------------------ |
 * | 400  | –          | `no_handshake`: not a WebSocket handshake, or the client sent data before the answer       |
 * | 401  | 4401       | `no_token`: no token, or one that cannot be valid; `invalid_token`: unknown to the service |
 * | 403  | 4403       | the service refused the token: `already_connected`, `registration_expired`…; or `origin`   |
 * | 404  | –          | `no_such_path`: no gate of this server handles that path                                   |
 * | 405  | –          | `no_handshake`: not a GET                                                                  |
 * | –    | 1009       | `too_large`: the first message is not complete after 16,384 bytes                          |
 * | –    | 4408       | `no_token_in_time`                                                                         |
 * | –    | 4413       | the player sent more than may be held, or does not read what is sent to them               |
 * | 429  | –          | `address`: too many connections from that address                                          |
 * | 500  | –          | `hook_failed`: a hook threw, or returned something invalid, such as a promise              |
 * | 500  | –          | `other_listener`, only in the log: another listener answered, too, and the socket is cut   |
 * | 503  | 4424       | `unknown`: the answer was lost, come again; `not_sent`: the service was not reached        |
 * | 503  | 4424       | `API_RATE_LIMIT`: the service takes no requests for now; or it refused the lobby           |
 * | 503  | 4429       | `busy`: too many tokens are being confirmed, held, or awaited as first messages            |
 * | 503  | 1001       | `gate_closed`: the gate was unsubscribed from                                              |
 *
 * Scripts in a browser never see the HTTP status, only close code 1006: let them send the token as the first message.
 *
 * The gate is shared: it adds one listener to the server, regardless of the number of subscribers. It never errors, and
 * completes when the server emits `close`, which is after its last connection has closed. Unsubscribing stops admission and
 * refuses clients whose token is not confirmed yet. Admitted players stay connected, and `onGone` is still called for them.
 * `stats$` emits the figures of the gate, for dashboards.
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
export function lobbyGate(config: LobbyGateConfig): LobbyGate {
  const resolved = resolveGateConfig(config);
  const places = createGatePlaces(resolved);
  const { count, stats$ } = createGateCounter(resolved, places);
  const settings: typeof resolved = {
    ...resolved,
    log: entry => {
      count(entry);
      resolved.log(entry);
    },
  };
  const confirmation = createTokenConfirmation(settings, places, createHookQueue(settings));
  const checkPolicy = createRequestPolicy(settings);
  const readToken = createTokenSource(settings);
  const handshake = createHandshake(settings);
  const admit = createTokenAdmission(settings, confirmation);
  const admitByMessage =
    settings.firstMessage && createFirstMessageAdmission(settings.firstMessage, settings, places, admit);

  const receive = (upgrade: Upgrade): Observable<LobbySocket> => {
    const { url = '/', headers } = upgrade.request;
    const { address, refusal } = checkPolicy(upgrade);
    const tokenRequest = refusal ? undefined : readToken(upgrade.request);
    const pending = handshake(upgrade, address, tokenRequest ?? { token: undefined, url, headers });
    if (pending && tokenRequest?.token !== undefined) return admit(pending, tokenRequest.token);
    if (pending && tokenRequest && admitByMessage) return admitByMessage(pending);
    pending?.reject(refusal ?? (tokenRequest ? REFUSALS.noToken : REFUSALS.hookFailed));
    return EMPTY;
  };
  const gate$ = upgrades(settings).pipe(
    mergeMap(receive),
    tap({ subscribe: confirmation.open }),
    takeUntil(closeOf(settings.server)),
    finalize(confirmation.close),
    share(),
  );
  return Object.assign(gate$, { stats$ });
}
