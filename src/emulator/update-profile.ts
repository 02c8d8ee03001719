import type { Profile } from '../protocol/index.js';
import { findRecord } from './find-record.js';
import { publish } from './publish.js';
import type { World } from './world.js';

/**
 * A profile changes: the identity itself and its friends get an `identity_update`, and the watches of the pages of members
 * that it stands on are answered.
 */
export const updateProfile =
  (world: World) =>
  (identity_id: string, change: Partial<Omit<Profile, 'identity_id'>>): void => {
    const identity = findRecord(world.identities, 'identity_id', identity_id);
    identity.profile = { ...identity.profile, ...change };
    identity.changedAt = world.tick();
    const ties = { following: true, is_following_me: true, is_mutual_following: true };
    publish(world)(identity_id, { identity_update: { identity: identity.profile } });
    for (const friend of identity.friends) {
      publish(world)(friend, { identity_update: { identity: { ...identity.profile, ...ties } } });
    }
    world.changed$.next(identity_id);
  };
