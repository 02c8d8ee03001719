import { concatMap, delay, of, skip, tap } from 'rxjs';
import type { GroupApi } from 'lobby-rx';
import type { SeededWorld } from 'lobby-rx/emulator';
import type { Screen } from './screen.js';

/** Reads all members, page by page, with a progress line. */
export function pageThrough(group: GroupApi, { groupId, groupName }: SeededWorld, screen: Screen) {
  const { counts } = screen;
  return group.memberPages(groupId).pipe(
    // A page takes only 2 ms here, too fast to see.
    concatMap(page => of(page).pipe(delay(60))),
    tap({
      subscribe: () => screen.heading(`Members of ${groupName}`),
      next: ({ members }) => {
        counts.members += members.length;
        counts.pages += 1;
        screen.progress(`${counts.members} members on ${counts.pages} pages`, counts.members / 4);
      },
      complete: () => {
        screen.endProgress();
        screen.heading('Live');
      },
    }),
  );
}

/** Follows who joins and who leaves the group. */
export function followRoster(group: GroupApi, { groupId }: SeededWorld, screen: Screen) {
  return group.roster(groupId).pipe(
    // In the first roster everyone has just joined.
    skip(1),
    tap(({ members, joined, left }) => {
      screen.counts.joined += joined.length;
      screen.counts.left += left.length;
      for (const { identity } of joined)
        screen.line('members', identity.display_name, `joined the group: ${members.size} members`);
      for (const { identity } of left)
        screen.line('members', identity.display_name, `left the group: ${members.size} members`);
    }),
  );
}
