import { defer, map, of, type Observable } from 'rxjs';
import { bearerOf } from './bearer-of.js';
import type { Call } from './call.js';
import { decimal } from './decimal.js';
import { findRecord } from './find-record.js';
import { handleOf } from './handle-of.js';
import { nextChange } from './next-change.js';
import { Refusal } from './refusal.js';
import type { GroupRecord } from './records.js';
import type { World } from './world.js';

/** group.getMembers, as deployed servers answer it. */
export function answerMembers(call: Call, world: World): Observable<unknown> {
  const caller = bearerOf('identity', call, world);
  const group_id = call.path.group_id ?? '';
  const group = world.groups.get(group_id);
  if (!group) throw new Refusal(404, 'GROUP_NOT_FOUND', 'There is no such group.');
  if (!group.members.has(caller))
    throw new Refusal(403, 'GROUP_NOT_MEMBER', 'The caller is no member of this group.');

  const anchor = call.query.get('anchor');
  const after = anchor === null ? 0 : decimal(anchor);
  const count = countOf(call, world);
  const answer = () => page(group, after, count, world);

  const text = call.query.get('watch_index');
  if (text === null) return of(answer());
  const index = decimal(text);
  return defer(() => {
    const shown = idsOnPage(group, after, count);
    const isNew = group.changedAt >= index || shown.some(id => recordOf(id, world).changedAt >= index);
    return isNew ? of(answer()) : nextChange(new Set([group_id, ...shown]), world).pipe(map(answer));
  });
}

function countOf({ query }: Call, { config }: World): number {
  const text = query.get('count');
  if (text === null) return config.pageSize;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1)
    throw new Refusal(400, 'API_BAD_QUERY_PARAMETER', 'count must be positive.');
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

function page(group: GroupRecord, after: number, count: number, world: World) {
  const ids = idsOnPage(group, after, count);
  const last = ids.length === count ? ids.at(-1) : undefined;
  return {
    // A full page has an anchor even where nothing follows, and the last one says so with null.
    anchor: last === undefined ? null : String(group.members.get(last)),
    members: ids.map(id => ({ identity: handleOf(recordOf(id, world).profile) })),
    watch: { index: String(world.tick() + 1) },
  };
}

function recordOf(id: string, { identities }: World) {
  return findRecord(identities, 'identity_id', id);
}
