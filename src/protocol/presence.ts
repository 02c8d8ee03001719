import * as t from 'io-ts';
import { GameActivity } from './game-activity.js';
import type { KnownPresenceStatus } from './known-presence-status.js';
import { suggested } from './suggested.js';
import { struct } from './struct.js';

/** Whether an identity is playing, and what (interface document, 2.7). */
export const Presence = struct(
  { status: suggested<KnownPresenceStatus>(), update_ts: t.string },
  { game_activity: GameActivity },
);
export type Presence = t.TypeOf<typeof Presence>;
