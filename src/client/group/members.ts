import { concatMap, defer, type OperatorFunction } from 'rxjs';
import { positiveInteger, type Options } from '../../error/index.js';
import type { GroupMember, GroupMemberList } from '../../protocol/index.js';

/** The options of paging through members. */
export interface MembersConfig {
  /** The number of members per page. Some servers ignore it. Default: chosen by the service (16 was observed). */
  readonly count?: number;
}

/** A check for each option of {@link MembersConfig}. */
export const MEMBERS_OPTIONS: Options<MembersConfig> = { count: positiveInteger };

/**
 * Whether all members of a page are on the previous page: some servers ignore `count`, and their second page is the first
 * one without its first member. An empty page is no repetition: it may have an anchor to continue from.
 */
export function isRepeatedPage(page: GroupMemberList, previous: GroupMemberList): boolean {
  const before = new Set(previous.members.map(idOf));
  return page.members.length > 0 && page.members.every(member => before.has(idOf(member)));
}

/**
 * Emits the members of pages one at a time. Servers may repeat members of the previous page; those are emitted once. Only one
 * page is remembered, so that a group of a million members needs no more memory than one of a hundred.
 */
export function distinctMembers(): OperatorFunction<GroupMemberList, GroupMember> {
  return pages$ =>
    defer(() => {
      let previousIds = new Set<string>();
      return pages$.pipe(
        concatMap(({ members }) => {
          const pageIds = new Set<string>();
          const newMembers = members.filter(member => {
            const id = idOf(member);
            const isNew = !previousIds.has(id) && !pageIds.has(id);
            pageIds.add(id);
            return isNew;
          });
          if (pageIds.size > 0) previousIds = pageIds;
          return newMembers;
        }),
      );
    });
}

function idOf({ identity }: GroupMember): string {
  return identity.identity_id;
}
