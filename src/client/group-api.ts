import type { Observable } from 'rxjs';
import type { GetMembersInput } from '../endpoint/index.js';
import { checkOptions } from '../error/index.js';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import { answers, type WatchConfig } from '../stream/index.js';
import type { Calls } from './calls.js';
import type { ClientSettings } from './client-settings.js';
import { given } from './given.js';
import {
  areSameMembers,
  distinctMembers,
  isRepeatedPage,
  MEMBERS_OPTIONS,
  type MembersConfig,
} from './members.js';
import { rosterOf, type Roster } from './roster.js';

/** The members of groups (interface document, 4.1). */
export interface GroupApi {
  /**
   * One page of a group's members: cold, one answer, then complete; unsubscribing aborts. With a `watch_index` the service
   * holds the answer back until something is new.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.group.getMembers({ group_id, count: 50 }).subscribe(({ members }) => show(members));
   */
  getMembers(input: GetMembersInput): Observable<GroupMemberList>;

  /**
   * A group's members, page by page, each page asked for as soon as the one before it has been emitted. Cold. It completes
   * after the last page, which is the one without an anchor, or before one that only repeats the page before it.
   *
   * Errors: those of `getMembers`, and a `DecodeError` if the service gives an anchor again.
   *
   * @example
   * client.group.memberPages(group_id, { count: 100 }).pipe(take(3)).subscribe(({ members }) => show(members));
   */
  memberPages(group_id: string, config?: MembersConfig): Observable<GroupMemberList>;

  /**
   * A group's members, one at a time; a member on two neighbouring pages is emitted once. Cold and lazy as `memberPages` is:
   * `take(1)` costs one request. It completes after the last member.
   *
   * Errors: those of `memberPages`.
   *
   * @example
   * client.group.members(group_id).pipe(toArray()).subscribe(everyone => show(everyone));
   */
  members(group_id: string, config?: MembersConfig): Observable<GroupMember>;

  /**
   * The first page of a group's members: at once, and then whenever it differs from the last one. Cold: each subscription is
   * a watch of its own. It never completes, and is retried as `watch` says.
   *
   * @example
   * client.group.watchMembers(group_id).subscribe(({ members }) => show(members));
   */
  watchMembers(
    group_id: string,
    config?: MembersConfig & WatchConfig<GroupMemberList>,
  ): Observable<GroupMemberList>;

  /**
   * The whole group, kept up to date: at once, and then whenever anyone joins, leaves or changes. Cold. It never completes,
   * and is retried as `watch` says. What a gap may have hidden is in the next answer, which shows whole pages.
   *
   * It watches each page, so there is one hanging request for each: as few as `count` allows (1,000 members a page by default,
   * if the service heeds that). Joins and leaves wake them all, and show as soon as every page that they shift has been read
   * again. Presences and profiles wake the page that they are on, and show within the service's collecting time of about
   * 100 ms.
   *
   * @example
   * client.group.roster(group_id).subscribe(({ members, joined }) => show(members.size, joined));
   */
  roster(group_id: string, config?: MembersConfig & WatchConfig<GroupMemberList>): Observable<Roster>;
}

/** Each page is a hanging request: the fewer, the better. */
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
    watchMembers: (group_id, { count, ...config } = {}) =>
      signals(getMembers, { group_id, count }, { isRepeat: areSameMembers, ...given(config) }).pipe(
        answers(),
      ),
    roster: (group_id, { count = LARGE_PAGE, ...config } = {}) => {
      const isRepeat = (page: GroupMemberList, previous: GroupMemberList) =>
        (page.anchor ?? '') === (previous.anchor ?? '') && areSameMembers(page, previous);
      const watchPage = (anchor: string | undefined) =>
        signals(getMembers, { group_id, count, anchor }, { isRepeat, ...given(config) }).pipe(answers());
      return rosterOf(watchPage, scheduler);
    },
  };
}
