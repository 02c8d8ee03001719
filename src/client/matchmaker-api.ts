import type { Observable } from 'rxjs';
import type { EndpointInput, playersConnected } from '../endpoint/index.js';

/** What a lobby server asks (interface document, 4.2); the client's token is the lobby's own. */
export interface MatchmakerApi {
  readonly players: {
    /**
     * Confirms a player's token: emits once, then completes, when the service has said OK, and only then may the player's
     * socket do anything; on any error it has to be closed. Cold; not idempotent, and so never sent twice by itself.
     *
     * Errors: `InputError`, `TransportError`, `StatusError` (invalid, consumed or expired: see its `code`), `DecodeError`
     * (a 2xx that is not the service's: a proxy's page, say).
     *
     * @example
     * client.matchmaker.players.connected({ player_token }).subscribe({ next: admit, error: () => socket.close() });
     */
    connected(input: EndpointInput<typeof playersConnected>): Observable<void>;
  };
}
