import type { Observable } from 'rxjs';
import type { EndpointInput, getMembers } from '../endpoint/index.js';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import type { WatchConfig } from '../stream/index.js';
import type { Roster } from './roster.js';

/** How many members a page has, where the service heeds it. Default: what the service thinks fit (16 was seen). */
export interface MembersConfig {
  readonly count?: number;
}

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
  getMembers(input: EndpointInput<typeof getMembers>): Observable<GroupMemberList>;

  /**
   * A group's members, page by page, each page asked for as soon as the one before it has been handed on. Cold; completes after
   * the last page, which is the one without an anchor, or before one that only repeats the page before it.
   *
   * Errors: those of `getMembers`; a `DecodeError` too where the service gives an anchor again.
   *
   * @example
   * client.group.memberPages(group_id, { count: 100 }).pipe(take(3)).subscribe(({ members }) => show(members));
   */
  memberPages(group_id: string, config?: MembersConfig): Observable<GroupMemberList>;

  /**
   * A group's members, one at a time, and none twice that stands on two neighbouring pages. Cold and lazy as
   * `memberPages` is: `take(1)` costs one request.
   *
   * @example
   * client.group.members(group_id).pipe(toArray()).subscribe(everyone => show(everyone));
   */
  members(group_id: string, config?: MembersConfig): Observable<GroupMember>;

  /**
   * The first page of a group's members, again and again: at once, and then whenever it differs from the last that was
   * told. Cold: each subscription is a watch of its own; it never completes, and is retried as `watch` says.
   *
   * @example
   * client.group.watchMembers(group_id).subscribe(({ members }) => show(members));
   */
  watchMembers(
    group_id: string,
    config?: MembersConfig & WatchConfig<GroupMemberList>,
  ): Observable<GroupMemberList>;

  /**
   * The whole group, kept up to date: at once, and then whenever anyone joins, leaves or is different. Cold; it never
   * completes, and is retried as `watch` says; what a gap may have hidden is in the next answer, which shows whole pages.
   *
   * It holds as few pages as `count` allows (1,000 members a page, where the service heeds that) and one hanging request for
   * each. Joins and leaves wake them all, and show as soon as every page that they shift has been read again. Presences and
   * profiles wake the page that they stand on, and show within the service's collecting time of about 100 ms.
   *
   * @example
   * client.group.roster(group_id).subscribe(({ members, joined }) => show(members.size, joined));
   */
  roster(group_id: string, config?: MembersConfig & WatchConfig<GroupMemberList>): Observable<Roster>;
}
