import { distinctUntilChanged, filter, scan, type SchedulerLike } from 'rxjs';
import { getMembers } from '../endpoint/index.js';
import type { GroupMemberList } from '../protocol/index.js';
import { answers } from '../stream/index.js';
import type { Calls } from './calls.js';
import { distinctMembers } from './distinct-members.js';
import type { GroupApi } from './group-api.js';
import { isRepeatedPage } from './is-repeated-page.js';
import { nextRoster } from './next-roster.js';
import type { Roster } from './roster.js';
import { sameMembers } from './same-members.js';
import { watchAllPages } from './watch-all-pages.js';

/** A hanging request for each page: the fewer, the better. */
const LARGE_PAGE = 1_000;

/** The calls that concern groups, under the names of the interface document. */
export function createGroupApi({ request, signals, pages }: Calls, scheduler: SchedulerLike): GroupApi {
  const memberPages: GroupApi['memberPages'] = (group_id, { count } = {}) =>
    pages(getMembers, { group_id, count }, { isRepeat: isRepeatedPage });
  return {
    getMembers: input => request(getMembers, input),
    memberPages,
    members: (group_id, config) => memberPages(group_id, config).pipe(distinctMembers()),
    watchMembers: (group_id, { count, ...config } = {}) =>
      signals(getMembers, { group_id, count }, { isRepeat: sameMembers, ...config }).pipe(answers()),
    roster: (group_id, { count = LARGE_PAGE, ...config } = {}) => {
      const isRepeat = (page: GroupMemberList, previous: GroupMemberList) =>
        (page.anchor ?? '') === (previous.anchor ?? '') && sameMembers(page, previous);
      const page = (anchor: string | undefined) =>
        signals(getMembers, { group_id, count, anchor }, { isRepeat, ...config }).pipe(answers());
      return watchAllPages(page, scheduler).pipe(
        scan((roster: Roster | undefined, members) => nextRoster(roster, members), undefined),
        filter(roster => roster !== undefined),
        distinctUntilChanged(),
      );
    },
  };
}
