import { eventsWatch, getMembers } from '../../endpoint/index.js';
import { retryAfter } from '../../error/index.js';
import type { EmulatedResponse } from '../emulator/index.js';
import { eventsIn } from './events-in.js';
import { withoutTokens } from './without-tokens.js';
import type { SeenRequest } from './world-view.js';

/** What a client learns from an answer. */
type Read = Pick<SeenRequest, 'events' | 'next_index' | 'ray_id' | 'retry_after' | 'is_unreadable'>;

/** Reads an answer that has arrived whole, as a client does. */
export function readAnswer(
  { is_poll, path }: Pick<SeenRequest, 'is_poll' | 'path'>,
  { status, headers, body }: EmulatedResponse,
  now: number,
): Read {
  const events = eventsIn(withoutTokens(body));
  if (status === 200) {
    const next_index = indexIn(body);
    const isUnreadable = is_poll && !isReadable(path, body);
    return {
      events,
      ...(next_index !== undefined && { next_index }),
      ...(isUnreadable && { is_unreadable: true }),
    };
  }
  const get = (name: string) => headers[name] ?? null;
  const ray_id = get('rvt-ray-id');
  const retry_after = retryAfter({ get }, undefined, now);
  return { events, ...(ray_id !== null && { ray_id }), ...(retry_after !== undefined && { retry_after }) };
}

/** The index of an answer. It is at the end, so the payload of an event cannot imitate it. */
function indexIn(body: string): string | undefined {
  const watch = body.slice(body.lastIndexOf('"watch":'));
  return /^"watch":\{"index":"([^"\\]*)"\}\}$/.exec(watch)?.[1];
}

/** Whether a client can decode the answer to a poll. */
function isReadable(path: string, body: string): boolean {
  const { response } = path.includes('/groups/') ? getMembers : eventsWatch;
  try {
    return response.decode(JSON.parse(body))._tag === 'Right';
  } catch {
    return false;
  }
}
