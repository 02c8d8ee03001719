import type { GroupMemberList } from '../protocol/index.js';

/**
 * Whether a page brings nobody that the one before it did not bring: some servers ignore `count` and then give the first
 * page again, less one. An empty page is not one of these: it may have an anchor to go on from.
 */
export function isRepeatedPage(page: GroupMemberList, previous: GroupMemberList): boolean {
  const before = new Set(previous.members.map(({ identity }) => identity.identity_id));
  return page.members.length > 0 && page.members.every(({ identity }) => before.has(identity.identity_id));
}
