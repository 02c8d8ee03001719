import * as t from 'io-ts';
import { GroupMember } from './group-member.js';
import { WatchData } from './watch-data.js';
import { cursor } from './cursor.js';
import { struct } from './struct.js';

/**
 * One page of the members of a group (interface document, 2.1). `anchor` asks for the next page; it is null or absent
 * on the last one.
 */
export const GroupMemberList = struct(
  { members: t.readonlyArray(GroupMember), watch: WatchData },
  { anchor: cursor },
);
export type GroupMemberList = t.TypeOf<typeof GroupMemberList>;
