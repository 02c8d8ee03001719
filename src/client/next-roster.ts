import type { GroupMember } from '../protocol/index.js';
import { sameJson } from '../stream/index.js';
import type { Roster } from './roster.js';

/** The roster that follows, with these members; the very same roster where nothing is different. */
export function nextRoster(before: Roster | undefined, present: readonly GroupMember[]): Roster {
  const known = before?.members ?? new Map<string, GroupMember>();
  const members = new Map<string, GroupMember>();
  const joined: GroupMember[] = [];
  const updated: GroupMember[] = [];
  for (const member of present) {
    const { identity_id } = member.identity;
    if (members.has(identity_id)) continue;
    const old = known.get(identity_id);
    const isSame = old !== undefined && sameJson(old, member);
    members.set(identity_id, isSame ? old : member);
    if (old === undefined) joined.push(member);
    else if (!isSame) updated.push(member);
  }
  const left = [...known].flatMap(([id, member]) => (members.has(id) ? [] : [member]));
  const isSame = before !== undefined && joined.length + left.length + updated.length === 0;
  return isSame ? before : { members, joined, left, updated };
}
