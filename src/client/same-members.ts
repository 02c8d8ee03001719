import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import { sameJson } from '../stream/index.js';

/** Whether two answers show the same members, in whatever order: the service promises none. */
export function sameMembers(left: GroupMemberList, right: GroupMemberList): boolean {
  return sameJson(inOrder(left), inOrder(right));
}

function inOrder({ members }: GroupMemberList): readonly GroupMember[] {
  const idOf = ({ identity }: GroupMember) => identity.identity_id;
  return [...members].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}
