import * as t from 'io-ts';
import { isRight, left, right } from '#fp-ts/Either';
import { cursor, jsonObject, type Codec } from './codec.js';
import { struct } from './struct.js';

/** The watch object of an answer (interface document, 2.2). */
export interface WatchData {
  /**
   * The version of the returned data, to be sent back as `watch_index`. Opaque, never a number. Empty if the answer has no
   * index: its data is still useful, and a watch keeps polling without an index.
   */
  readonly index: string;
}

const Present = struct('WatchData', { index: cursor });

export const WatchData: Codec<WatchData> = new t.Type<WatchData, unknown>(
  Present.name,
  Present.is,
  (u, context) => {
    if (u == null) return right({ index: '' });
    const result = Present.validate(u, context);
    if (isRight(result)) return result;
    return jsonObject.is(u) && u.index == null ? right({ ...u, index: '' }) : left(result.left);
  },
  t.identity,
);
