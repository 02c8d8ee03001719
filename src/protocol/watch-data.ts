import * as t from 'io-ts';
import { isRight, left, right } from '#fp-ts/Either';
import { cursor } from './cursor.js';
import { jsonObject } from './json-object.js';
import { struct } from './struct.js';

const Present = struct({ index: cursor });

/**
 * The watch object (interface document, 2.2): `index` is the version of the data returned, to be sent back as
 * `watch_index`.
 *
 * An answer that lacks it reads as an empty index: what the answer carries is worth having all the same, and a watch
 * polls on without an index.
 */
export const WatchData = new t.Type<WatchData, unknown>(
  'object',
  Present.is,
  (u, context) => {
    if (u == null) return right({ index: '' });
    const result = Present.validate(u, context);
    if (isRight(result)) return result;
    return jsonObject.is(u) && u.index == null ? right({ ...u, index: '' }) : left(result.left);
  },
  t.identity,
);
export type WatchData = t.TypeOf<typeof Present>;
