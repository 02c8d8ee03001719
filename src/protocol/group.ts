import * as t from 'io-ts';
import { struct, type Codec } from './codec.js';

/** Links of a group (docs/the-service.md, 2.6). */
export interface GroupExternal {
  /** URL of the group's profile page. */
  readonly profile: string;
}

export const GroupExternal: Codec<GroupExternal> = struct('GroupExternal', { profile: t.string });

/** A short description of a group (docs/the-service.md, 2.6). */
export interface GroupHandle {
  readonly group_id: string;
  readonly display_name: string;
  readonly external: GroupExternal;
  /** URL of the avatar image. Absent or null if the group has none. */
  readonly avatar_url?: string | null | undefined;
  /** Whether the group is a developer group. Absent or null if the service does not say. */
  readonly is_developer?: boolean | null | undefined;
}

export const GroupHandle: Codec<GroupHandle> = struct(
  'GroupHandle',
  { group_id: t.string, display_name: t.string, external: GroupExternal },
  { avatar_url: t.string, is_developer: t.boolean },
);
