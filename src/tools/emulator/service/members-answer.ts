import { defer, map, of } from 'rxjs';
import type { GroupMemberList, IdentityHandle, Profile } from '../../../protocol/index.js';
import { findRecord, type GroupRecord, type World } from '../world/index.js';
import { callerOf, decimalOf, Rejection, type Answer, type Call } from './call.js';
import { nextChange } from './next-change.js';

/** The number of members per page if the request has no `count`. */
const PAGE_SIZE = 16;

/**
 * Answers group.getMembers (docs/the-service.md, 4.1) as deployed servers do. An anchor is the join
 * time of a member.
 */
export const membersAnswer: Answer = (call, world, settings) => {
  const caller = callerOf('identity', call, world);
  const group_id = call.path.group_id ?? '';
  const group = world.groups.get(group_id);
  if (!group) throw new Rejection(404, 'GROUP_NOT_FOUND', 'There is no such group.');
  if (!group.members.has(caller)) {
    throw new Rejection(403, 'GROUP_NOT_MEMBER', 'The caller is not a member of this group.');
  }

  const after = decimalOf('anchor', call) ?? 0;
  const count = countOf(call) ?? PAGE_SIZE;
  const page = () => pageOf(group, after, count, world);
  const index = decimalOf('watch_index', call);
  if (index === undefined) return of(page());
  return defer(() => {
    const ids = idsOnPage(group, after, count);
    const hasChanged = group.changedAt >= index || ids.some(id => identity(id, world).changedAt >= index);
    if (hasChanged) return of(page());
    return nextChange([group_id, ...ids], world, settings).pipe(map(page));
  });
};

function countOf({ query }: Call): number | undefined {
  const text = query.get('count');
  if (text === null) return undefined;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) {
    throw new Rejection(400, 'API_BAD_QUERY_PARAMETER', 'count must be a positive integer.');
  }
  return count;
}

function idsOnPage({ members }: GroupRecord, after: number, count: number): string[] {
  const ids: string[] = [];
  for (const [id, joinedAt] of members) {
    if (ids.length === count) break;
    if (joinedAt > after) ids.push(id);
  }
  return ids;
}

function pageOf(group: GroupRecord, after: number, count: number, world: World): GroupMemberList {
  const ids = idsOnPage(group, after, count);
  const last = ids.length === count ? ids.at(-1) : undefined;
  return {
    // A full page has an anchor even if no member follows. On the last page, the anchor is null.
    anchor: last === undefined ? null : String(group.members.get(last)),
    members: ids.map(id => ({ identity: toHandle(identity(id, world).profile) })),
    watch: { index: String(world.tick() + 1) },
  };
}

function identity(id: string, { identities }: World) {
  return findRecord(identities, 'identity_id', id);
}

/** The short form of a profile. A field without a value is null. */
function toHandle(profile: Profile): IdentityHandle {
  const { identity_id, display_name, account_number, avatar_url, is_registered, external, presence } =
    profile;
  return {
    identity_id,
    display_name,
    account_number,
    avatar_url,
    is_registered,
    external: { profile: external.profile, settings: external.settings ?? null },
    presence: presence ?? null,
  };
}
