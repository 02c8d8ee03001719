import { findRecord } from './find-record.js';
import type { World } from './world.js';

/** An identity joins a group; nothing happens where it is a member already. */
export const join =
  (world: World) =>
  (group_id: string, identity_id: string): void => {
    const group = findRecord(world.groups, 'group_id', group_id);
    const identity = findRecord(world.identities, 'identity_id', identity_id);
    if (group.members.has(identity_id)) return;
    const stamp = world.tick();
    group.members.set(identity_id, stamp);
    group.changedAt = stamp;
    identity.profile = { ...identity.profile, groups: [...identity.profile.groups, { group: group.handle }] };
    world.changed$.next(group_id);
  };
