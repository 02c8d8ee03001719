import { concatMap, defer, takeWhile, type OperatorFunction } from 'rxjs';
import {
  DecodeError,
  plainObject,
  positiveInteger,
  type DecodeIssue,
  type Options,
} from '../../error/index.js';
import {
  jsonHash,
  type GroupMember,
  type GroupMemberList,
  type MalformedMember,
} from '../../protocol/index.js';
import type { RetryConfig } from '../../stream/index.js';

/** The members of a page or a group. */
export type GroupEntries = Pick<GroupMemberList, 'members' | 'malformed'>;

/** The options of paging through members. */
export interface MembersConfig {
  /**
   * The number of members per page. Some servers ignore it. Default: chosen by the service (16 was
   * observed).
   */
  readonly count?: number;
  /**
   * Retries each page by itself. `{}` takes the defaults of `backoff`. Default: the first error
   * ends the paging.
   */
  readonly backoff?: RetryConfig;
}

/** A check for each option of {@link MembersConfig}. */
export const MEMBERS_OPTIONS: Options<MembersConfig> = { count: positiveInteger, backoff: plainObject };

/**
 * A page has no new members if all of them are among the last ones that came. This many are
 * remembered, or two pages if that is more.
 */
const REMEMBERED = 1_000;

/** With this many empty pages in a row, paging ends. */
const MAX_EMPTY = 16;

/**
 * Why paging ends: at a repeated page, which is normal on some servers, or with an issue, which is
 * not.
 */
type End = 'repeat' | DecodeIssue;

const NO_NEW_MEMBERS: DecodeIssue = {
  path: 'members',
  expected: 'a page with new members',
  got: 'only members of the pages before',
};
const ONLY_EMPTY: DecodeIssue = {
  path: 'members',
  expected: 'a page with members',
  got: `${MAX_EMPTY} empty pages in a row`,
};

/**
 * Ends paging that might go on for ever. It completes at a page whose members are all
 * on the page before, since some servers ignore `count`, and their second page is the first one
 * without its first member. It ends with a `DecodeError` at a page without new members, and at the
 * 16th empty page in a row. If `isLenient`, it completes there, too.
 */
export function untilNoNewMembers(isLenient = false): OperatorFunction<GroupMemberList, GroupMemberList> {
  return pages$ =>
    defer(() => {
      const endAt = endOfPaging();
      return pages$.pipe(
        takeWhile(page => {
          const end = endAt(page);
          if (typeof end === 'object' && !isLenient) throw new DecodeError(end);
          return end === undefined;
        }),
      );
    });
}

/**
 * Judges one page after the other. It remembers a thousand members or two pages, even of a larger
 * group.
 */
function endOfPaging(): (page: GroupMemberList) => End | undefined {
  let previous = new Set<string>();
  const recent = new Set<string>();
  let empty = 0;
  return page => {
    const ids = idsOn(page);
    empty = ids.length > 0 ? 0 : empty + 1;
    if (empty > 0) return empty === MAX_EMPTY ? ONLY_EMPTY : undefined;
    if (ids.every(id => previous.has(id))) return 'repeat';
    if (ids.every(id => recent.has(id))) return NO_NEW_MEMBERS;
    previous = new Set(ids);
    // A member that is in there already moves to the end.
    for (const id of ids) {
      recent.delete(id);
      recent.add(id);
    }
    const excess = recent.size - Math.max(REMEMBERED, 2 * previous.size);
    for (const id of [...recent].slice(0, Math.max(0, excess))) recent.delete(id);
    return undefined;
  };
}

/**
 * Emits the members of pages one at a time. Servers may repeat members of the previous page. These
 * are emitted once. Only one page is remembered, so that a group of a million members needs no more
 * memory than one of a hundred.
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

export function idOf({ identity }: GroupMember): string {
  return identity.identity_id;
}

/**
 * The id of a member that failed to decode. If it has none that can be read, a hash stands in for
 * it.
 */
export function malformedIdOf({ identity_id, raw }: MalformedMember): string {
  return identity_id ?? `#${jsonHash(raw)}`;
}

export function idsOn({ members, malformed = [] }: GroupEntries): readonly string[] {
  return [...members.map(idOf), ...malformed.map(malformedIdOf)];
}

/** The anchor after each page in turn. It ends when one repeats, since some servers never end. */
export function untilRepeated(from: string) {
  const anchors = new Set([from]);
  return ({ anchor }: GroupMemberList): string | undefined => {
    if (!anchor || anchors.has(anchor)) return undefined;
    anchors.add(anchor);
    return anchor;
  };
}
