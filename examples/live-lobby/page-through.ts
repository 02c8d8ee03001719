import { concatMap, delay, of, tap } from 'rxjs';
import type { Client } from 'lobby-rx';
import type { SeededWorld } from 'lobby-rx/emulator';
import type { Screen } from './screen.js';
import type { Summary } from './summary.js';

/** All members, page by page, with a line that shows how far it is. */
export function pageThrough(group: Client['group'], world: SeededWorld, screen: Screen, summary: Summary) {
  screen.heading(`Members of ${world.groupName}`);
  return group.memberPages(world.groupId).pipe(
    // A page comes in two milliseconds here; a reader wants to see them come.
    concatMap(page => of(page).pipe(delay(60))),
    tap({
      next: ({ members }) => {
        summary.members += members.length;
        summary.pages += 1;
        screen.progress(summary.members, summary.pages);
      },
      complete: () => {
        screen.endProgress();
        screen.heading('Live');
      },
    }),
  );
}
