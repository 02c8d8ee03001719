import { findRecord } from './find-record.js';
import type { World } from './world.js';

/** Two identities follow each other from now on: each gets the other's updates in its live events. */
export const befriend =
  (world: World) =>
  (identity_id: string, friend_id: string): void => {
    findRecord(world.identities, 'identity_id', identity_id).friends.add(friend_id);
    findRecord(world.identities, 'friend_id', friend_id).friends.add(identity_id);
  };
