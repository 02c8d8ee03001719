import type { Observable } from 'rxjs';
import type { PlayerTokenInput } from '../endpoint/index.js';
import type { Calls } from './calls.js';
import type { ClientSettings } from './client-settings.js';

/** What a lobby's server asks (interface document, 4.2). The client's token is the lobby's own. */
export interface MatchmakerApi {
  readonly players: {
    /**
     * Confirms a player's token: emits once, then completes, when the service has said OK. Only then may the player's socket
     * do anything; on any error it has to be closed. Cold. It is not idempotent, so it is never repeated by itself.
     *
     * Errors: `InputError`, `TransportError`, `StatusError` (invalid, consumed or expired: see its `code`), `DecodeError`
     * (a 2xx that does not come from the service: a proxy's page, say). `whyNotConnected` tells what an error means.
     *
     * @example
     * client.matchmaker.players.connected({ player_token }).subscribe({ next: admit, error: () => socket.close() });
     */
    connected(input: PlayerTokenInput): Observable<void>;

    /**
     * Frees a player's slot: emits once, then completes, when the service has said OK. Cold. Deployed servers have it; the
     * interface document does not.
     *
     * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
     *
     * @example
     * client.matchmaker.players.disconnected({ player_token }).pipe(backoff()).subscribe();
     */
    disconnected(input: PlayerTokenInput): Observable<void>;
  };
}

export function createMatchmakerApi({ request }: Calls, { endpoints }: ClientSettings): MatchmakerApi {
  return {
    players: {
      connected: input => request(endpoints.playersConnected, input),
      disconnected: input => request(endpoints.playersDisconnected, input),
    },
  };
}
