import { clientsOf } from '../../../../../src/tools/workbench/page/outcome/index.js';
import type { SeenAction, SeenEvent, SeenRequest } from '../../../../../src/tools/workbench/world-view.js';

let id = 0;

/**
 * A poll for the live events of Ada with the index `from`, at this time; open, unless `more` says
 * how it ended.
 */
export const poll = (at: number, from: string | undefined, more: Partial<SeenRequest> = {}): SeenRequest => ({
  id: ++id,
  method: 'GET',
  path: `/identity/events/live${from === undefined ? '' : `?watch_index=${from}`}`,
  who: 'Ada',
  who_id: 'a',
  is_poll: true,
  at,
  events: [],
  has_news: false,
  ...more,
});

/** How a poll ends with an answer, from whose index its client goes on. */
export const answered = (ended_at: number, next_index: string, ...events: readonly SeenEvent[]) => ({
  ended_at,
  status: 200,
  next_index,
  events,
  has_news: events.length > 0,
});

/** How a poll ends with an error of the service itself. */
export const refused = (ended_at: number, status: number) => ({ ended_at, status, ray_id: 'a ray id' });

/** The client that sent these requests. */
export const clientOf = (...requests: readonly SeenRequest[]) => clientsOf(requests)[0]!;

export const event = (at: number, text = '“Hi”', kind = 'chat_message'): SeenEvent => ({ kind, at, text });

/** What was done to Ada. Its events are of the times from one ms before it to one ms after it. */
export const action = (at: number, line: string, more: Partial<SeenAction> = {}): SeenAction => ({
  id: ++id,
  line,
  who_id: 'a',
  at,
  after: at - 1,
  until: at + 1,
  ...more,
});
