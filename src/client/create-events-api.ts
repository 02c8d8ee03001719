import { eventsWatch } from '../endpoint/index.js';
import type { IdentityEventList } from '../protocol/index.js';
import { answers, eventFeed, type EventFeedConfig, type WatchConfig } from '../stream/index.js';
import type { Calls } from './calls.js';
import { eventMemory } from './event-memory.js';
import type { EventsApi } from './events-api.js';

/** The calls that concern live events, under the names of the interface document. */
export function createEventsApi(calls: Calls, feedDefaults: EventFeedConfig): EventsApi {
  const signals = (config?: WatchConfig<IdentityEventList>) =>
    calls.signals(
      eventsWatch,
      {},
      { isIdle: ({ events }) => events.length === 0, memory: eventMemory, ...config },
    );
  return {
    watch: (input = {}) => calls.request(eventsWatch, input),
    batches: config => signals(config).pipe(answers()),
    feed: eventFeed(signals(), feedDefaults),
    createFeed: config => eventFeed(signals(config), { ...feedDefaults, ...config }),
  };
}
