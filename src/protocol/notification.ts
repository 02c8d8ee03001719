import * as t from 'io-ts';
import type { Codec } from './codec.js';
import { struct } from './struct.js';

/**
 * A notification to show to the player immediately, unobtrusively, for a few seconds (docs/the-service.md, 2.8). Only chat
 * message events have one.
 */
export interface Notification {
  readonly title: string;
  readonly description: string;
  /** URL of the thumbnail image. */
  readonly thumbnail_url: string;
  /** URL to open on a click or tap: for a chat notification, its thread. */
  readonly url: string;
}

export const Notification: Codec<Notification> = struct('Notification', {
  title: t.string,
  description: t.string,
  thumbnail_url: t.string,
  url: t.string,
});
