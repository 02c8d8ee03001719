import type { GroupHandle } from '../protocol/index.js';
import { randomId } from './random-id.js';
import type { World } from './world.js';

/** Adds a group without members and returns its id; `handle` says what is to be different about it. */
export const addGroup =
  (world: World) =>
  (handle: Partial<GroupHandle> = {}): string => {
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
  };
