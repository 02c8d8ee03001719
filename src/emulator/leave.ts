import { findRecord } from './find-record.js';
import type { World } from './world.js';

/** An identity leaves a group; nothing happens where it is no member. */
export const leave =
  (world: World) =>
  (group_id: string, identity_id: string): void => {
    const group = findRecord(world.groups, 'group_id', group_id);
    const identity = findRecord(world.identities, 'identity_id', identity_id);
    if (!group.members.delete(identity_id)) return;
    group.changedAt = world.tick();
    const groups = identity.profile.groups.filter(({ group: { group_id: id } }) => id !== group_id);
    identity.profile = { ...identity.profile, groups };
    world.changed$.next(group_id);
  };
