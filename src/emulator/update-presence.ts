import type { Presence } from '../protocol/index.js';
import { updateProfile } from './update-profile.js';
import type { World } from './world.js';

/** An identity comes online, goes away, plays something else; `null` takes its presence back. See `updateProfile`. */
export const updatePresence =
  (world: World) =>
  (identity_id: string, presence: Omit<Presence, 'update_ts'> | null): void => {
    const update_ts = new Date(world.now()).toISOString();
    updateProfile(world)(identity_id, { presence: presence && { ...presence, update_ts } });
  };
