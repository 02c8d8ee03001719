import type { Profile } from '../protocol/index.js';
import { issueToken } from './issue-token.js';
import { randomId } from './random-id.js';
import type { World } from './world.js';

/** An identity that was added, and the bearer token that its client is to use. */
export interface AddedIdentity {
  readonly identity_id: string;
  readonly token: string;
}

/** Adds an identity; `profile` says what is to be different about it. */
export const addIdentity =
  (world: World) =>
  (profile: Partial<Profile> = {}): AddedIdentity => {
    const number = world.identities.size + 1;
    const identity_id = profile.identity_id ?? randomId(world.random);
    const token = issueToken('identity', world);
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
    world.bearers.set(token, { kind: 'identity', id: identity_id, expired: false });
    return { identity_id, token };
  };
