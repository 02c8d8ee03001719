import * as t from 'io-ts';
import { struct } from './struct.js';

/**
 * What a player is to be shown at once and unobtrusively (interface document, 2.8). `url` opens its context: a chat
 * notification opens its thread.
 */
export const Notification = struct({
  title: t.string,
  description: t.string,
  thumbnail_url: t.string,
  url: t.string,
});
export type Notification = t.TypeOf<typeof Notification>;
