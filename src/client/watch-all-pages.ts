import {
  combineLatest,
  connect,
  distinctUntilChanged,
  filter,
  map,
  startWith,
  subscribeOn,
  switchMap,
  throwError,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { DecodeError, type GroupMember, type GroupMemberList } from '../protocol/index.js';

/** The members from some page on; `undefined` while one of its pages is still to come. */
type Rest = readonly GroupMember[] | undefined;

/** Each page is a hanging request: a service that never comes to an end must not open them without end. */
const MOST_PAGES = 100;

/**
 * All members of a group, of pages that are each watched: the first, the one that its anchor leads to, and so on, up to one
 * without an anchor, or with one that led to a page already, as servers give that ignore `count`. It tells them together, and
 * only when every page has come: while a page that ends with someone else leads to another one, whoever moved from one to
 * the other would seem to be gone.
 */
export function watchAllPages(
  watchPage: (anchor: string | undefined) => Observable<GroupMemberList>,
  scheduler: SchedulerLike,
): Observable<readonly GroupMember[]> {
  const from = (anchor: string | undefined, way: readonly string[]): Observable<Rest> => {
    const next = (page: GroupMemberList) =>
      page.anchor && !way.includes(page.anchor) ? page.anchor : undefined;
    if (way.length >= MOST_PAGES) return throwError(() => new DecodeError(ENDLESS));
    return watchPage(anchor).pipe(
      connect(page$ =>
        page$.pipe(
          distinctUntilChanged((a, b) => next(a) === next(b)),
          // A page that leads elsewhere comes here first, and ends what follows: it is never told with the rest of another.
          switchMap(first => {
            const present$ = page$.pipe(startWith(first));
            const behind = next(first);
            if (behind === undefined) return present$.pipe(map(({ members }) => members));
            return combineLatest([
              present$,
              from(behind, [...way, behind]).pipe(
                // A service in this process answers at once: page upon page would pile up on the call stack.
                subscribeOn(scheduler),
                startWith(undefined),
              ),
            ]).pipe(map(([{ members }, rest]) => rest && [...members, ...rest]));
          }),
        ),
      ),
    );
  };
  return from(undefined, []).pipe(filter(members => members !== undefined));
}

const ENDLESS = {
  path: 'anchor',
  expected: `an end of the group within ${MOST_PAGES} pages`,
  got: 'another page',
};
