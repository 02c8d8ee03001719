import type { PolledService } from '../../stream/index.js';
import { hasStatus, sender, type ServiceRequestConfig } from './service-request.js';

/** An answer of a stream in JSON. */
export interface DurableBatch<Item = unknown> {
  readonly items: readonly Item[];
  readonly offset: string | null;
  readonly isClosed: boolean;
}

/**
 * A Durable Stream in JSON, by long polling. Starts from now, or from the beginning with
 * `from: '-1'`. The watch completes when the stream is closed. A stream that was created again is
 * noticed, with a gap, unless it has grown past the offset by then.
 *
 * @example
 * watch(durableStream('http://127.0.0.1:4437/streams/game')).subscribe(({ items }) => show(items));
 */
export function durableStream<Item = unknown>(
  url: string,
  config: ServiceRequestConfig = {},
): PolledService<DurableBatch<Item>> {
  const send = sender(config);
  // For caches: it comes with each answer, and goes with the next request.
  let cursor: string | null = null;
  return {
    poll: async (index, { signal }) => {
      const place = index === undefined ? 'offset=now' : `live=long-poll&offset=${encodeURIComponent(index)}`;
      const seen = index === undefined || cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await send({ url: `${url}?${place}${seen}`, signal });
      const { headers, status } = response;
      cursor = headers.get('stream-cursor');
      return {
        items: status === 204 ? [] : ((await response.json()) as readonly Item[]),
        offset: headers.get('stream-next-offset'),
        isClosed: headers.get('stream-closed') === 'true',
      };
    },
    read: ({ items, offset, isClosed }) => ({ index: offset, isEmpty: items.length === 0, isClosed }),
    // All offsets are of the same length.
    isOlder: (offset, than) => offset < than,
    isGone: error => hasStatus(error, 404, 410),
  };
}
