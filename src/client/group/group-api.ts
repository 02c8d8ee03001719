import type { Observable } from 'rxjs';
import type { GetMembersInput } from '../../endpoint/index.js';
import { checkOptions, definedOptions } from '../../error/index.js';
import type { GroupMember, GroupMemberList } from '../../protocol/index.js';
import { answers, type WatchConfig, type WatchSignal } from '../../stream/index.js';
import type { ClientContext } from '../context.js';
import { endpointAnswers } from '../endpoint-watch.js';
import { endpointPages, request } from '../requests.js';
import { distinctMembers, MEMBERS_OPTIONS, untilNoNewMembers, type MembersConfig } from './members.js';
import { rosterSignals, type Roster, type RosterConfig } from './roster.js';

/** Operations on groups (docs/the-service.md, 4.1). */
export interface GroupApi {
  /**
   * Requests one page of a group's members. It is cold. It emits one answer and completes.
   * Unsubscribing aborts the request. With a `watch_index`, the service does not answer until
   * something has changed.
   *
   * Errors: `InputError`, `TransportError`, `StatusError`, `DecodeError`.
   *
   * @example
   * client.group.getMembers({ group_id, count: 50 }).subscribe(({ members }) => show(members));
   */
  getMembers(input: GetMembersInput): Observable<GroupMemberList>;

  /**
   * A group's members, page by page. Each page is requested as soon as the previous one has been
   * emitted. It is cold. It completes after the last page (the one without an anchor), or before a
   * page that only repeats the previous one. With `backoff`, each page is retried by itself, so
   * that paging through a large group comes to its end though some requests fail.
   *
   * Errors: those of `getMembers`, and a `DecodeError` if the paging would never end. That is so if
   * the service repeats an anchor, if a page has only members of the last pages (1,000 members, or
   * two pages), or if 16 pages in a row are empty.
   *
   * @example
   * client.group
   *   .memberPages(group_id, { count: 100 })
   *   .pipe(take(3))
   *   .subscribe(({ members }) => show(members));
   */
  memberPages(group_id: string, config?: MembersConfig): Observable<GroupMemberList>;

  /**
   * A group's members, one at a time. A member on two consecutive pages is emitted once. It is cold
   * and lazy, like `memberPages`: `take(1)` costs one request. It completes after the last member.
   * Members that failed to decode are left out. `memberPages` has them.
   *
   * Errors: those of `memberPages`.
   *
   * @example
   * client.group.members(group_id).pipe(toArray()).subscribe(everyone => show(everyone));
   */
  members(group_id: string, config?: MembersConfig): Observable<GroupMember>;

  /**
   * The first page of a group's members, immediately and then whenever it changes. It is cold: each
   * subscription is a separate watch. It completes only if `ack` decides so, or the client is
   * closed. Failures are retried (see `watch`). `client.watchSignals(getMembers, { group_id })`
   * also emits gaps and status.
   *
   * @example
   * client.group.watchMembers(group_id).subscribe(({ members }) => show(members));
   */
  watchMembers(
    group_id: string,
    config?: Pick<MembersConfig, 'count'> & WatchConfig<GroupMemberList>,
  ): Observable<GroupMemberList>;

  /**
   * The whole group, kept up to date: immediately, and then whenever someone joins, leaves or
   * changes. It is cold: each subscription is a separate watch, with its refreshes. It completes
   * only when the client is closed. Failures are retried (see `watch`). Gaps need no handling,
   * since the next answer contains the whole group.
   *
   * The first page is watched. Further pages are refreshed after a join or leave anywhere, at most
   * every 5 s, and every `refreshInterval` ms. So a change of presence or profile on them shows
   * late. A member who is missing from them has left if nothing else changed until 2 s later, or if
   * three refreshes in a row miss them.
   *
   * @example
   * client.group.roster(group_id).subscribe(({ members, joined }) => show(members.size, joined));
   */
  roster(group_id: string, config?: RosterConfig): Observable<Roster>;

  /**
   * Like `roster`, but also emits the gaps and the status of its watch, and the status of its
   * refreshes if they fail.
   *
   * @example
   * client.group.rosterSignals(group_id).subscribe(signal => {
   *   if (signal.kind === 'status') showConnection(signal.status.state);
   * });
   */
  rosterSignals(group_id: string, config?: RosterConfig): Observable<WatchSignal<Roster>>;
}

export function createGroupApi(context: ClientContext): GroupApi {
  const { getMembers } = context.endpoints;
  const memberPages: GroupApi['memberPages'] = (group_id, config = {}) => {
    checkOptions(config, MEMBERS_OPTIONS);
    const { count, ...paging } = definedOptions(config);
    return endpointPages(context, getMembers, { group_id, count }, paging).pipe(untilNoNewMembers());
  };
  return {
    getMembers: input => request(context, getMembers, input),
    memberPages,
    members: (group_id, config) => memberPages(group_id, config).pipe(distinctMembers()),
    watchMembers: (group_id, { count, ...config } = {}) => {
      checkOptions({ count }, MEMBERS_OPTIONS);
      return endpointAnswers(context, getMembers, { group_id, count }, config);
    },
    roster: (group_id, config) => rosterSignals(context, group_id, config).pipe(answers()),
    rosterSignals: (group_id, config) => rosterSignals(context, group_id, config),
  };
}
