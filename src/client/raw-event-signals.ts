import type { Observable } from 'rxjs';
import { RawEventList, type EventCodecs } from '../protocol/index.js';
import type { WatchConfig, WatchSignal } from '../stream/index.js';
import { clientParts, type ClientConfig } from './client-config.js';
import { createContext } from './context.js';
import { endpointSignals } from './requests.js';

/**
 * Everything that happens in a watch of live events, with events as they are sent: for those who store them. It takes the config
 * of a client, and makes no client.
 */
export function rawEventSignals(
  config: ClientConfig<EventCodecs>,
): (watch: WatchConfig<RawEventList>) => Observable<WatchSignal<RawEventList>> {
  const { context, endpoints } = clientParts(config);
  const created = createContext(context);
  const endpoint = { ...endpoints.eventsWatch, response: RawEventList };
  return watch => endpointSignals(created, endpoint, {}, watch);
}
