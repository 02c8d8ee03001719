import type { PolledService } from '../../stream/index.js';
import { sender, type ServiceRequestConfig } from './service-request.js';

/** An event of Syncthing. `data` depends on its type. */
export interface SyncthingEvent {
  readonly id: number;
  readonly type: string;
  readonly time: string;
  readonly data: unknown;
}

/** Events, and the process that counts them. */
export interface SyncthingEvents {
  readonly events: readonly SyncthingEvent[];
  readonly id: number | undefined;
  readonly startTime: string;
  /** Whether events before these have left the buffer of Syncthing. */
  readonly hasGap: boolean;
}

/** The options of {@link syncthingEvents}. */
export interface SyncthingEventsConfig extends ServiceRequestConfig {
  /** The types to follow, such as `ItemFinished`. Default: those that Syncthing chooses. */
  readonly types?: readonly string[];
}

/** How long Syncthing holds a poll, in seconds. */
const HOLD_S = 50;

/**
 * The events of a Syncthing, from now. Its API key is the header `X-API-Key`. It counts its events
 * from 1 again when it starts, so each poll asks when that was. After a restart there is a gap
 * (`another_log`). It keeps the last 1,000 events. If some have left it unread, there is a gap
 * (`forgotten`).
 *
 * @example
 * const events = syncthingEvents('http://127.0.0.1:8384', { headers: { 'x-api-key': key } });
 * watch(events).subscribe(show);
 */
export function syncthingEvents(
  url: string,
  { types, ...config }: SyncthingEventsConfig = {},
): PolledService<SyncthingEvents> {
  const send = sender(config);
  const filter = types ? `events=${types.join(',')}&` : '';
  let startedAt: string | undefined;
  return {
    poll: async (index, { signal }) => {
      const read = async (path: string) => (await send({ url: `${url}/rest/${path}`, signal })).json();
      const { startTime } = (await read('system/status')) as Pick<SyncthingEvents, 'startTime'>;
      const isSame = startTime === startedAt;
      startedAt = startTime;
      // An index of another start would be held. Whether it is of one shows when it is answered.
      const query =
        index === undefined ? 'since=0&limit=1&timeout=1' : `since=${index}&timeout=${isSame ? HOLD_S : 1}`;
      const events = (await read(`events?${filter}${query}`)) as readonly SyncthingEvent[];
      const id = events.at(-1)?.id;
      if (index === undefined) return { events: [], id: id ?? 0, startTime, hasGap: false };
      // The events of these types have numbers of their own.
      const hasGap = events[0] !== undefined && events[0].id !== Number(index) + 1;
      return { events, id, startTime, hasGap };
    },
    read: ({ events, id, startTime, hasGap }) => ({
      index: id,
      isEmpty: events.length === 0,
      handle: startTime,
      hasGap,
    }),
  };
}
