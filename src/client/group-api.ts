import type { Observable } from 'rxjs';
import type { GetMembersInput } from '../endpoint/index.js';
import { checkOptions, given } from '../error/index.js';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import { answers, type WatchConfig } from '../stream/index.js';
import type { Calls } from './calls.js';
import type { ClientSettings } from './client-settings.js';
import {
  areSameMembers,
  distinctMembers,
  isRepeatedPage,
  MEMBERS_OPTIONS,
  type MembersConfig,
} from './members.js';
import { rosterOf, type Roster } from './roster.js';

/** Operations on groups (interface document, 4.1). */
export interface GroupApi {
  /**
   * Requests one page of a group's members. Cold: emits one answer and completes. Unsubscribing aborts. With a `watch_index`
   * the service does not answer until something has changed.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.group.getMembers({ group_id, count: 50 }).subscribe(({ members }) => show(members));
   */
  getMembers(input: GetMembersInput): Observable<GroupMemberList>;

  /**
   * A group's members, page by page. Each page is requested as soon as the previous one has been emitted. Cold. It completes
   * after the last page (the one without an anchor), or before a page that only repeats the previous one.
   *
   * Errors: those of `getMembers`, and a `DecodeError` if the service repeats an anchor.
   *
   * @example
   * client.group.memberPages(group_id, { count: 100 }).pipe(take(3)).subscribe(({ members }) => show(members));
   */
  memberPages(group_id: string, config?: MembersConfig): Observable<GroupMemberList>;

  /**
   * A group's members, one at a time. A member on two consecutive pages is emitted once. Cold and lazy, like `memberPages`:
   * `take(1)` costs one request. It completes after the last member.
   *
   * Errors: those of `memberPages`.
   *
   * @example
   * client.group.members(group_id).pipe(toArray()).subscribe(everyone => show(everyone));
   */
  members(group_id: string, config?: MembersConfig): Observable<GroupMember>;

  /**
   * The first page of a group's members, immediately and then whenever it changes. Cold: each subscription is a separate
   * watch. It never completes. Failures are retried; see `watch`.
   *
   * @example
   * client.group.watchMembers(group_id).subscribe(({ members }) => show(members));
   */
  watchMembers(
    group_id: string,
    config?: MembersConfig & WatchConfig<GroupMemberList>,
  ): Observable<GroupMemberList>;

  /**
   * The whole group, kept up to date: immediately, and then whenever someone joins, leaves or changes. Cold. It never
   * completes. Failures are retried; see `watch`. Gaps need no handling: the next answer contains whole pages.
   *
   * Each page is watched, so there is one pending request per page. Large pages keep that number low: `count` is 1,000 by
   * default, but some servers ignore it. A join or leave wakes all pages, and is emitted once every page that it shifts has
   * been read again. A change of presence or profile wakes one page, and is emitted after the time for which the service
   * collects changes, about 100 ms.
   *
   * @example
   * client.group.roster(group_id).subscribe(({ members, joined }) => show(members.size, joined));
   */
  roster(group_id: string, config?: MembersConfig & WatchConfig<GroupMemberList>): Observable<Roster>;
}

/** Each page is a pending request: the fewer, the better. */
const LARGE_PAGE = 1_000;

export function createGroupApi(
  { request, signals, pages }: Calls,
  { endpoints: { getMembers }, scheduler }: ClientSettings,
): GroupApi {
  const memberPages: GroupApi['memberPages'] = (group_id, config = {}) => {
    checkOptions(config, MEMBERS_OPTIONS);
    return pages(getMembers, { group_id, count: config.count }, { isRepeat: isRepeatedPage });
  };
  return {
    getMembers: input => request(getMembers, input),
    memberPages,
    members: (group_id, config) => memberPages(group_id, config).pipe(distinctMembers()),
    watchMembers: (group_id, { count, ...config } = {}) => {
      checkOptions({ count }, MEMBERS_OPTIONS);
      const options = { isRepeat: areSameMembers, ...given(config) };
      return signals(getMembers, { group_id, count }, options).pipe(answers());
    },
    roster: (group_id, { count = LARGE_PAGE, ...config } = {}) => {
      checkOptions({ count }, MEMBERS_OPTIONS);
      const isRepeat = (page: GroupMemberList, previous: GroupMemberList) =>
        (page.anchor ?? '') === (previous.anchor ?? '') && areSameMembers(page, previous);
      const watchPage = (anchor: string | undefined) =>
        signals(getMembers, { group_id, count, anchor }, { isRepeat, ...given(config) }).pipe(answers());
      return rosterOf(watchPage, scheduler);
    },
  };
}
