import * as t from 'io-ts';
import { cursor, type Codec } from './codec.js';
import { IdentityHandle } from './identity.js';
import { struct } from './struct.js';
import { WatchData } from './watch-data.js';

/** One member of a group (seen in deployed servers; the interface document shows no fields). */
export interface GroupMember {
  readonly identity: IdentityHandle;
}

export const GroupMember: Codec<GroupMember> = struct('GroupMember', { identity: IdentityHandle });

/** One page of the members of a group (interface document, 2.1). */
export interface GroupMemberList {
  /** In no promised order. */
  readonly members: readonly GroupMember[];
  readonly watch: WatchData;
  /**
   * Asks for the next page; absent or null on the last one. A full page has one even if nothing follows, so that an empty
   * last page is normal.
   */
  readonly anchor?: string | null | undefined;
}

export const GroupMemberList: Codec<GroupMemberList> = struct(
  'GroupMemberList',
  { members: t.readonlyArray(GroupMember), watch: WatchData },
  { anchor: cursor },
);
