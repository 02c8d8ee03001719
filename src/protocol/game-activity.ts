import * as t from 'io-ts';
import { GameHandle } from './game-handle.js';
import { jsonObject } from './json-object.js';
import { struct } from './struct.js';

/**
 * The game an identity takes part in (interface document, 2.7). `mutual_metadata` shows only to the identity and its
 * mutual followers, `public_metadata` to anyone.
 */
export const GameActivity = struct(
  { game: GameHandle, message: t.string },
  { mutual_metadata: jsonObject, public_metadata: jsonObject },
);
export type GameActivity = t.TypeOf<typeof GameActivity>;
