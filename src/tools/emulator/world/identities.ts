import type { Presence, Profile } from '../../../protocol/index.js';
import { publish } from './events.js';
import { randomId } from './random-numbers.js';
import { findRecord } from './records.js';
import { issueBearer } from './bearer-tokens.js';
import type { World } from './world.js';

/** An identity that was added, and the bearer token for its client. */
export interface AddedIdentity {
  readonly identity_id: string;
  readonly token: string;
}

export function addIdentity(world: World, profile: Partial<Profile> = {}): AddedIdentity {
  const number = world.identities.size + 1;
  const identity_id = profile.identity_id ?? randomId(world.random);
  const token = issueBearer(world, 'identity', identity_id);
  const stamp = world.tick();
  world.identities.set(identity_id, {
    profile: {
      identity_id,
      display_name: `Player ${number}`,
      account_number: number,
      avatar_url: `https://assets.example/avatars/${number % 7}.png`,
      bio: '',
      join_ts: new Date(stamp).toISOString(),
      external: { profile: `https://hub.example/identities/${identity_id}` },
      is_registered: true,
      is_admin: false,
      following: false,
      is_following_me: false,
      is_mutual_following: false,
      follower_count: 0,
      following_count: 0,
      games: [],
      groups: [],
      linked_accounts: [],
      ...profile,
    },
    changedAt: stamp,
    friends: new Set(),
    log: [],
  });
  return { identity_id, token };
}

export function befriend(world: World, identity_id: string, friend_id: string): void {
  const identity = findRecord(world.identities, 'identity_id', identity_id);
  const friend = findRecord(world.identities, 'friend_id', friend_id);
  identity.friends.add(friend_id);
  friend.friends.add(identity_id);
}

export function updateProfile(
  world: World,
  identity_id: string,
  change: Partial<Omit<Profile, 'identity_id'>>,
): void {
  const identity = findRecord(world.identities, 'identity_id', identity_id);
  identity.profile = { ...identity.profile, ...change };
  identity.changedAt = world.tick();
  const asFriend = { following: true, is_following_me: true, is_mutual_following: true };
  publish(world, identity_id, { identity_update: { identity: identity.profile } });
  for (const friend of identity.friends) {
    publish(world, friend, { identity_update: { identity: { ...identity.profile, ...asFriend } } });
  }
  world.changes.announce(identity_id);
}

export function updatePresence(
  world: World,
  identity_id: string,
  presence: Omit<Presence, 'update_ts'> | null,
): void {
  const update_ts = new Date(world.now()).toISOString();
  updateProfile(world, identity_id, { presence: presence && { ...presence, update_ts } });
}
