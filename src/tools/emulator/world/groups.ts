import type { GroupHandle } from '../../../protocol/index.js';
import { randomId } from './random-numbers.js';
import { findRecord } from './records.js';
import type { World } from './world.js';

export function addGroup(world: World, handle: Partial<GroupHandle> = {}): string {
  const group_id = handle.group_id ?? randomId(world.random);
  world.groups.set(group_id, {
    handle: {
      group_id,
      display_name: `Group ${world.groups.size + 1}`,
      external: { profile: `https://hub.example/groups/${group_id}` },
      ...handle,
    },
    members: new Map(),
    changedAt: world.tick(),
  });
  return group_id;
}

export function join(world: World, group_id: string, identity_id: string): void {
  const group = findRecord(world.groups, 'group_id', group_id);
  const identity = findRecord(world.identities, 'identity_id', identity_id);
  if (group.members.has(identity_id)) return;
  const stamp = world.tick();
  group.members.set(identity_id, stamp);
  group.changedAt = stamp;
  identity.profile = { ...identity.profile, groups: [...identity.profile.groups, { group: group.handle }] };
  world.changes.announce(group_id);
}

export function leave(world: World, group_id: string, identity_id: string): void {
  const group = findRecord(world.groups, 'group_id', group_id);
  const identity = findRecord(world.identities, 'identity_id', identity_id);
  if (!group.members.delete(identity_id)) return;
  group.changedAt = world.tick();
  const groups = identity.profile.groups.filter(({ group: { group_id: id } }) => id !== group_id);
  identity.profile = { ...identity.profile, groups };
  world.changes.announce(group_id);
}
