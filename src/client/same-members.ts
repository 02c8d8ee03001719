import type { GroupMemberList } from '../protocol/index.js';
import { sameJson } from '../stream/index.js';

/** Whether two answers show the same members, in whatever order: the service promises none. */
export function sameMembers(left: GroupMemberList, right: GroupMemberList): boolean {
  if (left.members.length !== right.members.length || (left.anchor ?? '') !== (right.anchor ?? ''))
    return false;
  const byId = new Map(right.members.map(member => [member.identity.identity_id, member]));
  return left.members.every(member => sameJson(member, byId.get(member.identity.identity_id)));
}
