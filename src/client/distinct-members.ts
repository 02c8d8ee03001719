import { concatMap, defer, type OperatorFunction } from 'rxjs';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';

/**
 * The members of pages, one at a time, and none twice that stands on two neighbouring pages: there servers do repeat.
 * Only one page is remembered, so that a group of a million members costs no more memory than one of a hundred.
 */
export function distinctMembers(): OperatorFunction<GroupMemberList, GroupMember> {
  return pages$ =>
    defer(() => {
      let before = new Set<string>();
      return pages$.pipe(
        concatMap(({ members }) => {
          const here = new Set<string>();
          const fresh = members.filter(({ identity: { identity_id } }) => {
            const isNew = !before.has(identity_id) && !here.has(identity_id);
            here.add(identity_id);
            return isNew;
          });
          if (here.size > 0) before = here;
          return fresh;
        }),
      );
    });
}
