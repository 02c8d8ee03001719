import {
  combineLatest,
  connect,
  distinctUntilChanged,
  filter,
  map,
  of,
  startWith,
  switchMap,
  type Observable,
} from 'rxjs';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import { isRepeatedPage } from './is-repeated-page.js';

/** The rest of a group from some page on; `undefined` while one of its pages is still to come. */
type Rest = readonly GroupMember[] | undefined;

/**
 * All members of a group, of pages that are each watched: the first, the one that its anchor leads to, and so on. It tells
 * them together, and only when every page has come: while a page that ended with someone else leads to another one, whoever
 * moved from one to the other would seem to be gone.
 */
export function watchAllPages(
  watchPage: (anchor: string | undefined) => Observable<GroupMemberList>,
): Observable<readonly GroupMember[]> {
  const from = (anchor: string | undefined, previous: GroupMemberList | undefined): Observable<Rest> =>
    watchPage(anchor).pipe(
      connect(page$ =>
        combineLatest([
          page$,
          page$.pipe(
            distinctUntilChanged((a, b) => leadsTo(a, previous) === leadsTo(b, previous)),
            switchMap(page => {
              const next = leadsTo(page, previous);
              return next === undefined ? of<Rest>([]) : from(next, page).pipe(startWith(undefined));
            }),
          ),
        ]),
      ),
      map(([page, rest]) => rest && [...page.members, ...rest]),
    );

  return from(undefined, undefined).pipe(filter(members => members !== undefined));
}

/** The anchor of the page behind this one; none behind one that repeats the page before it, as servers do that ignore count. */
function leadsTo(page: GroupMemberList, previous: GroupMemberList | undefined): string | undefined {
  const isLast = !page.anchor || (previous !== undefined && isRepeatedPage(page, previous));
  return isLast ? undefined : (page.anchor ?? undefined);
}
