import { map, pairwise, tap } from 'rxjs';
import type { Client } from 'lobby-rx';
import type { Screen } from './screen.js';
import type { Summary } from './summary.js';

/** Who joins the group and who leaves it, seen by a watch on one page that is large enough for all. */
export function followMembers(group: Client['group'], groupId: string, screen: Screen, summary: Summary) {
  return group.watchMembers(groupId, { count: 500 }).pipe(
    map(
      ({ members }) => new Map(members.map(({ identity }) => [identity.identity_id, identity.display_name])),
    ),
    pairwise(),
    tap(([before, after]) => {
      for (const [id, name] of after) {
        if (before.has(id)) continue;
        summary.joined++;
        screen.line('members', name, `joined the group: ${after.size} members`);
      }
      for (const [id, name] of before) {
        if (after.has(id)) continue;
        summary.left++;
        screen.line('members', name, `left the group: ${after.size} members`);
      }
    }),
  );
}
