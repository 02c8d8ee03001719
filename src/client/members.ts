import { concatMap, defer, type OperatorFunction } from 'rxjs';
import { positiveInteger, type Options } from '../error/index.js';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import { jsonEqual } from '../stream/index.js';

/** How members are paged. */
export interface MembersConfig {
  /** How many members a page has, if the service heeds it. Default: the service's own (16 was seen). */
  readonly count?: number;
}

/** What the options of {@link MembersConfig} must be. */
export const MEMBERS_OPTIONS: Options<MembersConfig> = { count: positiveInteger };

/**
 * Whether a page has nobody that the one before it did not have: some servers ignore `count` and then give the first page
 * again, less one. An empty page is not one of these: it may have an anchor to go on from.
 */
export function isRepeatedPage(page: GroupMemberList, previous: GroupMemberList): boolean {
  const before = new Set(previous.members.map(idOf));
  return page.members.length > 0 && page.members.every(member => before.has(idOf(member)));
}

/** Whether two answers show the same members, in whatever order: the service promises none. */
export function areSameMembers(left: GroupMemberList, right: GroupMemberList): boolean {
  return jsonEqual(inOrder(left), inOrder(right));
}

/**
 * The members of pages, one at a time. A member on two neighbouring pages, as servers do repeat them, is emitted once. Only
 * one page is remembered, so that a group of a million members takes no more memory than one of a hundred.
 */
export function distinctMembers(): OperatorFunction<GroupMemberList, GroupMember> {
  return pages$ =>
    defer(() => {
      let before = new Set<string>();
      return pages$.pipe(
        concatMap(({ members }) => {
          const here = new Set<string>();
          const fresh = members.filter(member => {
            const id = idOf(member);
            const isNew = !before.has(id) && !here.has(id);
            here.add(id);
            return isNew;
          });
          if (here.size > 0) before = here;
          return fresh;
        }),
      );
    });
}

function inOrder({ members }: GroupMemberList): readonly GroupMember[] {
  return [...members].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

function idOf({ identity }: GroupMember): string {
  return identity.identity_id;
}
