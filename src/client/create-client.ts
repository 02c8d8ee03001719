import { answers } from '../stream/index.js';
import { calls } from './calls.js';
import type { ClientConfig } from './client-config.js';
import { clientSettings } from './client-settings.js';
import type { Client } from './client.js';
import { createEventsApi } from './create-events-api.js';
import { createGroupApi } from './create-group-api.js';
import { createMatchmakerApi } from './create-matchmaker-api.js';

/**
 * A client of the Lobby, Group and Identity Event service. It speaks for one token: an identity's, or a lobby's. Making
 * one sends nothing; its Observables do, when subscribed to.
 *
 * Throws an `InputError` where an address or the token cannot be meant.
 *
 * @example
 * const client = createClient({
 *   groupUrl: 'https://group.example.com', matchmakerUrl: 'https://matchmaker.example.com',
 *   apiUrl: 'https://api.example.com', token: () => session.token,
 * });
 * client.events.feed.lobbyJoin$.subscribe(join => connect(join.ports));
 */
export function createClient(config: ClientConfig): Client {
  const settings = clientSettings(config);
  const { request, signals, pages } = calls(settings);
  return {
    group: createGroupApi({ request, signals, pages }, settings.scheduler),
    matchmaker: createMatchmakerApi({ request, signals, pages }),
    events: createEventsApi({ request, signals, pages }, settings.feed),
    request,
    watch: (endpoint, input, options) => signals(endpoint, input, options).pipe(answers()),
    watchSignals: signals,
    pages,
  };
}
