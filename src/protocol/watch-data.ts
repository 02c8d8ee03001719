import * as t from 'io-ts';
import { right } from '#fp-ts/Either';
import { cursor, jsonObject, struct, type Codec } from './codec.js';

/** The watch object of an answer (docs/the-service.md, 2.2). */
export interface WatchData {
  /**
   * The version of the returned data, to be sent back as `watch_index`. It is opaque, and never a
   * number. It is empty if the answer has no index, or one that fits into no URL. Then its data is
   * still useful, and a watch keeps polling without an index.
   */
  readonly index: string;
}

const Present = struct('WatchData', { index: cursor });

export const WatchData: Codec<WatchData> = new t.Type<WatchData, unknown>(
  Present.name,
  Present.is,
  (u, context) => {
    if (u == null) return right({ index: '' });
    if (jsonObject.is(u) && isUnusable(u.index)) return right({ ...u, index: '' });
    return Present.validate(u, context);
  },
  t.identity,
);

/** If the index of an answer cannot be sent back, the rest of the answer is still valid. */
function isUnusable(index: unknown): boolean {
  return index == null || (typeof index === 'string' && !cursor.is(index));
}
