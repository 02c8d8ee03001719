import { cursorArgument, IdentityEventList, struct } from '../protocol/index.js';
import { endpoint } from './endpoint.js';

/** events.watch: the events addressed to the caller's identity (interface document, 4.3). */
export const eventsWatch = endpoint({
  method: 'GET',
  service: 'api',
  path: '/identity/events/live',
  query: struct({}, { watch_index: cursorArgument }),
  response: IdentityEventList,
});
