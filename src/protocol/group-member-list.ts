import * as t from 'io-ts';
import { cursor, type Codec } from './codec.js';
import { IdentityHandle } from './identity.js';
import { struct } from './struct.js';
import { WatchData } from './watch-data.js';

/** One member of a group, as observed on deployed servers. The interface document does not show its fields. */
export interface GroupMember {
  readonly identity: IdentityHandle;
}

export const GroupMember: Codec<GroupMember> = struct('GroupMember', { identity: IdentityHandle });

/** One page of a group's members (docs/the-service.md, 2.1). */
export interface GroupMemberList {
  /** The order is not specified. */
  readonly members: readonly GroupMember[];
  readonly watch: WatchData;
  /**
   * Sent back as `anchor` to request the next page; absent or null on the last page. A full page has an anchor even if no
   * member follows, so an empty last page is normal.
   */
  readonly anchor?: string | null | undefined;
}

export const GroupMemberList: Codec<GroupMemberList> = struct(
  'GroupMemberList',
  { members: t.readonlyArray(GroupMember), watch: WatchData },
  { anchor: cursor },
);
