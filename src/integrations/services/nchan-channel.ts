import type { PolledService, PollSignal } from '../../stream/index.js';
import { hasStatus, sender, type ServiceRequestConfig } from './service-request.js';

/** A message of a channel. */
export interface NchanMessage {
  /** `undefined` if nothing came. */
  readonly text: string | undefined;
  /** Its time and its tag. */
  readonly id: string | undefined;
  /** Whether messages before it may be missing. */
  readonly hasGap: boolean;
}

/** A poll that was held this long, in ms, was there when its message came. */
const HELD_MS = 2_000;

/** A poll that is sent this soon after an answer, in ms, has missed nothing in between. */
const SOON_MS = 1_000;

/**
 * A channel of Nchan, by long polling. Starts with the oldest message in its buffer. That has ten
 * messages by default, so set `nchan_message_buffer_length`. If messages may have left it unread,
 * or were lost in a restart, there is a gap (`forgotten`). To find out, it asks whether the message
 * before is still there, unless the poll was held, or the ids follow each other.
 *
 * @example
 * watch(nchanChannel('http://127.0.0.1:8080/receive/game')).subscribe(({ text }) => show(text));
 */
export function nchanChannel(url: string, config: ServiceRequestConfig = {}): PolledService<NchanMessage> {
  const send = sender(config);
  /** The next message after an id. If that has left the buffer, it is the oldest one. */
  const messageAfter = async (index: string | undefined, signal: PollSignal) => {
    const [time, tag] = index?.split('|') ?? [];
    const headers: Record<string, string> =
      time && tag ? { 'if-modified-since': time, 'if-none-match': tag } : {};
    const response = await send({ url, signal, headers, answers: [304, 408] });
    const text = await response.text();
    // It gives up a poll without news by a 408 or a 304.
    if (response.status === 304 || response.status === 408) return { text: undefined, id: index };
    return { text, id: `${response.headers.get('last-modified')}|${response.headers.get('etag')}` };
  };
  const isNext = async (id: string, index: string, signal: PollSignal) => {
    const [next, last] = [placeOf(id), placeOf(index)];
    if (next.time === last.time) return next.tag === last.tag + 1;
    return next.tag === 0 && (await messageAfter(before(last), signal)).id === index;
  };
  /** The answer up to which nothing was missed. `undefined` after a poll that failed. */
  let sure: { readonly id: string | undefined; readonly at: number } | undefined;
  return {
    poll: async (index, { signal }) => {
      const askedAt = Date.now();
      const isSure = sure?.id === index && askedAt - (sure?.at ?? 0) < SOON_MS;
      sure = undefined;
      const { text, id } = await messageAfter(index, signal);
      const isHeld = isSure && Date.now() - askedAt >= HELD_MS;
      const isFirst = index === undefined || id === undefined || text === undefined;
      const hasGap = !isFirst && !isHeld && !(await isNext(id, index, signal));
      if (isSure || text !== undefined) sure = { id, at: Date.now() };
      return { text, id, hasGap };
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

/** When a message came. Those of a second are counted from 0. */
interface Place {
  readonly time: number;
  readonly tag: number;
}

function placeOf(id: string): Place {
  const [time = '', tag] = id.split('|');
  return { time: Date.parse(time), tag: Number(tag) };
}

/** The last id that is possible before a message. */
function before({ time, tag }: Place): string {
  if (tag > 0) return idOf({ time, tag: tag - 1 });
  return idOf({ time: time - 1_000, tag: MAX_TAG });
}

/** Nchan counts the messages of a second in 16 bits. */
const MAX_TAG = 32_767;

function idOf({ time, tag }: Place): string {
  return `${new Date(time).toUTCString()}|${tag}`;
}
