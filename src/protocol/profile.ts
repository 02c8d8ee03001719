import * as t from 'io-ts';
import { IdentityExternal } from './identity-external.js';
import { LinkedAccount } from './linked-account.js';
import { Presence } from './presence.js';
import { ProfileGame } from './profile-game.js';
import { ProfileGroup } from './profile-group.js';
import { integer } from './integer.js';
import { struct } from './struct.js';

/**
 * An identity, whole (interface document, 2.5). `awaiting_deletion` shows only to the identity itself.
 *
 * The document gives `bio` a pattern that lost its braces on the way and no real bio matches: it is not enforced.
 */
export const Profile = struct(
  {
    identity_id: t.string,
    display_name: t.string,
    account_number: integer,
    avatar_url: t.string,
    bio: t.string,
    join_ts: t.string,
    external: IdentityExternal,
    is_registered: t.boolean,
    is_admin: t.boolean,
    following: t.boolean,
    is_following_me: t.boolean,
    is_mutual_following: t.boolean,
    follower_count: integer,
    following_count: integer,
    games: t.readonlyArray(ProfileGame),
    groups: t.readonlyArray(ProfileGroup),
    linked_accounts: t.readonlyArray(LinkedAccount),
  },
  { awaiting_deletion: t.boolean, is_game_linked: t.boolean, presence: Presence },
);
export type Profile = t.TypeOf<typeof Profile>;
