import { playersConnected } from '../endpoint/index.js';
import type { Calls } from './calls.js';
import type { MatchmakerApi } from './matchmaker-api.js';

/** The calls of a lobby server, under the names of the interface document. */
export function createMatchmakerApi({ request }: Calls): MatchmakerApi {
  return { players: { connected: input => request(playersConnected, input) } };
}
