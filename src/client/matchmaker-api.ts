import type { Observable } from 'rxjs';
import type { PlayerTokenInput } from '../endpoint/index.js';
import type { ClientContext } from './context.js';
import { request } from './requests.js';

/**
 * Operations for lobby servers (docs/the-service.md, 4.2). The client's token must be the lobby's.
 */
export interface MatchmakerApi {
  readonly players: {
    /**
     * Confirms a player's token. Emits once and completes when the service has answered OK. Until
     * then, the lobby server must do nothing else on the player's socket. On any error it must
     * close the socket. It is cold. The operation is not idempotent, so it is never retried
     * automatically. An error after which the player may be counted is not retryable: `backoff()`
     * passes it on.
     *
     * Errors: `InputError`, `TransportError`, `StatusError` (invalid, consumed or expired, see its
     * `code`, or a 2xx that does not come from the service, see `isFromService`), `DecodeError` (a
     * proxy's HTML page). `whyNotConnected` explains an error.
     *
     * @example
     * client.matchmaker.players
     *   .connected({ player_token })
     *   .subscribe({ next: admit, error: () => socket.close() });
     */
    connected(input: PlayerTokenInput): Observable<void>;

    /**
     * Frees a player's slot. Emits once and completes when the service has answered OK. It is cold.
     * The operation exists on deployed servers, but not in the interface document.
     *
     * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
     *
     * @example
     * client.matchmaker.players.disconnected({ player_token }).pipe(backoff()).subscribe();
     */
    disconnected(input: PlayerTokenInput): Observable<void>;

    /**
     * Whether this client can tell an OK of the service from any other. So it is once an answer of
     * the service has had a ray id, and always with `isFromService`. Before that, an OK may be
     * anybody's. Any answer teaches it, also the refusal of a token that nobody has issued.
     *
     * @example
     * if (!client.matchmaker.players.isServiceKnown) console.log('Whose OK will it be?');
     */
    readonly isServiceKnown: boolean;

    /**
     * What gave the last OK that nothing proves to be the service's: its URL, and the headers
     * `Server` and `Via`. For a log. `undefined` if there was none.
     */
    readonly unprovedBy: string | undefined;
  };
}

export function createMatchmakerApi(context: ClientContext): MatchmakerApi {
  const { playersDisconnected } = context.endpoints;
  // Confirming is not repeatable, whatever replaces the endpoint.
  const playersConnected = { ...context.endpoints.playersConnected, isRepeatable: false };
  return {
    players: {
      connected: input => request(context, playersConnected, input),
      disconnected: input => request(context, playersDisconnected, input),
      get isServiceKnown() {
        return context.proof.knows(playersConnected.service);
      },
      get unprovedBy() {
        return context.proof.unprovedBy;
      },
    },
  };
}
