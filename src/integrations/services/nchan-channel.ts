import type { PolledService } from '../../stream/index.js';
import { hasStatus, sender, type ServiceRequestConfig } from './service-request.js';

/** A message of a channel. */
export interface NchanMessage {
  /** `undefined` if nothing came. */
  readonly text: string | undefined;
  /** Its time and its tag. */
  readonly id: string | undefined;
  /** Whether messages before it are no longer in the buffer of the channel. */
  readonly hasGap: boolean;
}

/**
 * A channel of Nchan, by long polling. Starts with the oldest message in its buffer. That has ten
 * messages by default, so set `nchan_message_buffer_length`. If messages have left it unread, there
 * is a gap (`forgotten`), unless the next one is the first of its second.
 *
 * @example
 * watch(nchanChannel('http://127.0.0.1:8080/receive/game')).subscribe(({ text }) => show(text));
 */
export function nchanChannel(url: string, config: ServiceRequestConfig = {}): PolledService<NchanMessage> {
  const send = sender(config);
  return {
    poll: async (index, { signal }) => {
      const [time, tag] = index?.split('|') ?? [];
      const headers: Record<string, string> =
        time && tag ? { 'if-modified-since': time, 'if-none-match': tag } : {};
      const response = await send({ url, signal, headers, answers: [304, 408] });
      const text = await response.text();
      // It gives up a poll without news by a 408 or a 304.
      if (response.status === 304 || response.status === 408)
        return { text: undefined, id: index, hasGap: false };
      const id = `${response.headers.get('last-modified')}|${response.headers.get('etag')}`;
      return { text, id, hasGap: index !== undefined && !isNext(id, index) };
    },
    read: ({ text, id, hasGap }) => ({ index: id, isEmpty: text === undefined, hasGap }),
    isOlder: (id, than) => {
      const [a, b] = [placeOf(id), placeOf(than)];
      return a.time === b.time ? a.tag < b.tag : a.time < b.time;
    },
    // The channel was deleted.
    isGone: error => hasStatus(error, 410),
  };
}

function placeOf(id: string): { readonly time: number; readonly tag: number } {
  const [time = '', tag] = id.split('|');
  return { time: Date.parse(time), tag: Number(tag) };
}

/** The messages of a second are counted from 0. */
function isNext(id: string, before: string): boolean {
  const [next, last] = [placeOf(id), placeOf(before)];
  return next.tag === (next.time === last.time ? last.tag + 1 : 0);
}
