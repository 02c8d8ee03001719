import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import type { DecodeIssue } from '../error/index.js';
import { cursor, jsonObject, listOf, struct, type Codec } from './codec.js';
import { decodeIssues, MAX_EXPLAINED, NOT_EXPLAINED } from './decode-issues.js';
import { IdentityHandle } from './identity.js';
import { WatchData } from './watch-data.js';

/**
 * One member of a group, as observed on deployed servers. The interface document does not show its
 * fields.
 */
export interface GroupMember {
  readonly identity: IdentityHandle;
}

export const GroupMember: Codec<GroupMember> = struct('GroupMember', { identity: IdentityHandle });

/** A member that failed to decode. It does not affect the other members. */
export interface MalformedMember {
  /** The `identity_id` of the member, if it can be read. */
  readonly identity_id?: string;
  /** The member as it was received. */
  readonly raw: unknown;
  /** The first errors of the member. Only the first 20 malformed members of a page have errors. */
  readonly errors: readonly DecodeIssue[];
}

/** One page of a group's members (docs/the-service.md, 2.1). */
export interface GroupMemberList {
  /** The order is not specified. */
  readonly members: readonly GroupMember[];
  /** Members that failed to decode. Absent if all decoded. */
  readonly malformed?: readonly MalformedMember[];
  readonly watch: WatchData;
  /**
   * Sent back as `anchor` to request the next page. Absent or null on the last page. A full page
   * has an anchor even if no member follows, so an empty last page is normal.
   */
  readonly anchor?: string | null | undefined;
}

const RawMemberList = struct(
  'GroupMemberList',
  { members: listOf('members'), watch: WatchData },
  { anchor: cursor },
);

/**
 * Each member is decoded separately. An invalid one becomes `malformed`, and does not affect the
 * others.
 */
export const GroupMemberList: Codec<GroupMemberList> = new t.Type<GroupMemberList, unknown>(
  RawMemberList.name,
  (u): u is GroupMemberList => RawMemberList.is(u) && u.members.every(GroupMember.is),
  (u, context) => {
    const list = RawMemberList.validate(u, context);
    if (isLeft(list)) return list;
    const raw = list.right as GroupMemberList;
    // A field of this name that the service sends is not ours.
    const { malformed: unknown, ...page } = raw;
    const malformed: MalformedMember[] = [];
    page.members.forEach((member: unknown, position) => {
      if (GroupMember.is(member)) return;
      const errors = malformed.length < MAX_EXPLAINED ? errorsOf(member, position) : NOT_EXPLAINED;
      malformed.push(malformedMember(member, errors));
    });
    if (malformed.length === 0) return t.success(unknown === undefined ? raw : page);
    return t.success({ ...page, members: page.members.filter(GroupMember.is), malformed });
  },
  ({ malformed = [], ...list }) => ({
    ...list,
    members: [...list.members, ...malformed.map(({ raw }) => raw)],
  }),
);

function errorsOf(raw: unknown, position: number): readonly DecodeIssue[] {
  const decoded = GroupMember.decode(raw);
  return isLeft(decoded) ? decodeIssues(decoded.left, `members[${position}]`) : [];
}

function malformedMember(raw: unknown, errors: readonly DecodeIssue[]): MalformedMember {
  const identity = jsonObject.is(raw) && jsonObject.is(raw.identity) ? raw.identity : {};
  const { identity_id } = identity;
  return { ...(typeof identity_id === 'string' && identity_id !== '' && { identity_id }), raw, errors };
}
