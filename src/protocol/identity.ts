import * as t from 'io-ts';
import { arrayOf, integer, jsonObject, struct, suggested, type Codec } from './codec.js';
import { GameHandle, Stat } from './game.js';
import { GroupHandle } from './group.js';

/** Links of an identity (docs/the-service.md, 2.5). */
export interface IdentityExternal {
  /** URL of the identity's profile page. */
  readonly profile: string;
  /** URL of the platform's settings page. Absent or null if the requester may not see it. */
  readonly settings?: string | null | undefined;
}

export const IdentityExternal: Codec<IdentityExternal> = struct(
  'IdentityExternal',
  { profile: t.string },
  { settings: t.string },
);

/** The game that an identity is playing (docs/the-service.md, 2.7). */
export interface GameActivity {
  readonly game: GameHandle;
  /** A short text about what the player is doing. */
  readonly message: string;
  /**
   * Data set by the game, visible only to the identity and its mutual followers. Absent or null for
   * others.
   */
  readonly mutual_metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** Data set by the game, visible to anyone. Absent or null if the game set none. */
  readonly public_metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export const GameActivity: Codec<GameActivity> = struct(
  'GameActivity',
  { game: GameHandle, message: t.string },
  { mutual_metadata: jsonObject, public_metadata: jsonObject },
);

/** The presence statuses observed on deployed servers. */
export type KnownPresenceStatus = 'online' | 'away' | 'offline';

/** Whether an identity is playing, and which game (docs/the-service.md, 2.7). */
export interface Presence {
  /**
   * Whether the identity is playing or has the game in the background. The document does not list
   * the values.
   */
  readonly status: KnownPresenceStatus | (string & {});
  /** When the status changed, as a timestamp in the server's format. */
  readonly update_ts: string;
  /** The game that the identity is playing. Absent or null if it is playing none. */
  readonly game_activity?: GameActivity | null | undefined;
}

export const Presence: Codec<Presence> = struct(
  'Presence',
  { status: suggested<KnownPresenceStatus>(), update_ts: t.string },
  { game_activity: GameActivity },
);

/** A game on a profile, with the player's statistics (docs/the-service.md, 2.5). */
export interface ProfileGame {
  readonly game: GameHandle;
  readonly stats: readonly Stat[];
}

export const ProfileGame: Codec<ProfileGame> = struct('ProfileGame', {
  game: GameHandle,
  stats: arrayOf(Stat),
});

/** A group on a profile (docs/the-service.md, 2.5). */
export interface ProfileGroup {
  readonly group: GroupHandle;
}

export const ProfileGroup: Codec<ProfileGroup> = struct('ProfileGroup', { group: GroupHandle });

/** An account linked by an access token (docs/the-service.md, 2.5). */
export interface LinkedAccessToken {
  /** The name of the token, not the token itself. */
  readonly name: string;
}

export const LinkedAccessToken: Codec<LinkedAccessToken> = struct('LinkedAccessToken', { name: t.string });

/** An account linked by an e-mail address (docs/the-service.md, 2.5). */
export interface LinkedEmail {
  readonly email: string;
}

export const LinkedEmail: Codec<LinkedEmail> = struct('LinkedEmail', { email: t.string });

/** An account that an identity is linked to (docs/the-service.md, 2.5). */
export interface LinkedAccount {
  /** Absent or null if the account is not linked by an access token. */
  readonly access_token?: LinkedAccessToken | null | undefined;
  /** Absent or null if the account is not linked by an e-mail address. */
  readonly email?: LinkedEmail | null | undefined;
}

export const LinkedAccount: Codec<LinkedAccount> = struct(
  'LinkedAccount',
  {},
  { access_token: LinkedAccessToken, email: LinkedEmail },
);

/** The full profile of an identity (docs/the-service.md, 2.5). */
export interface Profile {
  readonly identity_id: string;
  readonly display_name: string;
  /** The number shown after the name, as in `Ada#1815`. */
  readonly account_number: number;
  /** URL of the avatar image. */
  readonly avatar_url: string;
  /**
   * The player's description of themself. The pattern in the document has lost its braces and
   * matches no real bio, so it is not enforced.
   */
  readonly bio: string;
  /** When the identity joined, as a timestamp in the server's format. */
  readonly join_ts: string;
  readonly external: IdentityExternal;
  /** Whether the identity is registered with a linked account. */
  readonly is_registered: boolean;
  readonly is_admin: boolean;
  /** Whether the requester follows this identity. */
  readonly following: boolean;
  /**
   * In the document's words: whether the identity both follows and is followed by the requester.
   */
  readonly is_following_me: boolean;
  readonly is_mutual_following: boolean;
  readonly follower_count: number;
  readonly following_count: number;
  readonly games: readonly ProfileGame[];
  readonly groups: readonly ProfileGroup[];
  readonly linked_accounts: readonly LinkedAccount[];
  /** Whether the account is to be deleted. Absent or null unless the requester is this identity. */
  readonly awaiting_deletion?: boolean | null | undefined;
  /**
   * Whether this game user was linked through the platform's dashboard. Absent or null if the
   * service does not say.
   */
  readonly is_game_linked?: boolean | null | undefined;
  /** The current presence. Absent or null if it is not known. */
  readonly presence?: Presence | null | undefined;
}

export const Profile: Codec<Profile> = struct(
  'Profile',
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
    games: arrayOf(ProfileGame),
    groups: arrayOf(ProfileGroup),
    linked_accounts: arrayOf(LinkedAccount),
  },
  { awaiting_deletion: t.boolean, is_game_linked: t.boolean, presence: Presence },
);

/** A short description of an identity in a list of members, as observed on deployed servers. */
export interface IdentityHandle {
  readonly identity_id: string;
  readonly display_name: string;
  /** The number shown after the name, as in `Ada#1815`. */
  readonly account_number: number;
  /** URL of the avatar image. */
  readonly avatar_url: string;
  /** Whether the identity is registered with a linked account. */
  readonly is_registered: boolean;
  readonly external: IdentityExternal;
  /** The current presence. Absent or null if it is not known. */
  readonly presence?: Presence | null | undefined;
}

export const IdentityHandle: Codec<IdentityHandle> = struct(
  'IdentityHandle',
  {
    identity_id: t.string,
    display_name: t.string,
    account_number: integer,
    avatar_url: t.string,
    is_registered: t.boolean,
    external: IdentityExternal,
  },
  { presence: Presence },
);
