import * as t from 'io-ts';
import { struct } from './struct.js';

/** A game in short (interface document, 2.6); `name_id` is short and made for humans. */
export const GameHandle = struct(
  { game_id: t.string, name_id: t.string, display_name: t.string },
  { banner_url: t.string, logo_url: t.string },
);
export type GameHandle = t.TypeOf<typeof GameHandle>;
