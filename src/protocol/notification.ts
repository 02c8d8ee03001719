import * as t from 'io-ts';
import type { Codec } from './codec.js';
import { struct } from './struct.js';

/**
 * What a player is shown at once, unobtrusively, for a few seconds (interface document, 2.8). Only chat message events
 * have one.
 */
export interface Notification {
  readonly title: string;
  readonly description: string;
  /** URL of the image beside it. */
  readonly thumbnail_url: string;
  /** URL of its context, opened by a click or tap: a chat notification opens its thread. */
  readonly url: string;
}

export const Notification: Codec<Notification> = struct('Notification', {
  title: t.string,
  description: t.string,
  thumbnail_url: t.string,
  url: t.string,
});
