import {
  combineLatest,
  connect,
  distinctUntilChanged,
  filter,
  map,
  scan,
  startWith,
  subscribeOn,
  switchMap,
  throwError,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { DecodeError } from '../error/index.js';
import type { GroupMember, GroupMemberList } from '../protocol/index.js';
import { jsonEqual } from '../stream/index.js';

/** All members of a group at one time, and the changes since the previous roster. */
export interface Roster {
  /** All members, by `identity_id`. Members who have not changed are the same objects as before. */
  readonly members: ReadonlyMap<string, GroupMember>;
  /** New members; in the first roster, all of them. */
  readonly joined: readonly GroupMember[];
  /** Former members, as last seen. */
  readonly left: readonly GroupMember[];
  /** Members whose handle or presence changed. */
  readonly updated: readonly GroupMember[];
}

/** Each page is a pending request. A service whose pages never end must not cause an unlimited number of them. */
const MAX_PAGES = 100;

/** The rosters of a group, one for each change. `watchPage` watches the page at an anchor. */
export function rosterOf(
  watchPage: (anchor: string | undefined) => Observable<GroupMemberList>,
  scheduler: SchedulerLike,
): Observable<Roster> {
  return watchAllPages(watchPage, scheduler).pipe(
    scan<readonly GroupMember[], Roster, undefined>(nextRoster, undefined),
    distinctUntilChanged(),
  );
}

/** The next roster, with these members; the same object if nothing changed. */
function nextRoster(before: Roster | undefined, present: readonly GroupMember[]): Roster {
  const known = before?.members ?? new Map<string, GroupMember>();
  const members = new Map<string, GroupMember>();
  const joined: GroupMember[] = [];
  const updated: GroupMember[] = [];
  for (const member of present) {
    const { identity_id } = member.identity;
    if (members.has(identity_id)) continue;
    const old = known.get(identity_id);
    const isSame = old !== undefined && jsonEqual(old, member);
    members.set(identity_id, isSame ? old : member);
    if (old === undefined) joined.push(member);
    else if (!isSame) updated.push(member);
  }
  const left = [...known].flatMap(([id, member]) => (members.has(id) ? [] : [member]));
  const isSame = before !== undefined && joined.length + left.length + updated.length === 0;
  return isSame ? before : { members, joined, left, updated };
}

/** The members from one page on; `undefined` until all those pages have been received. */
type Rest = readonly GroupMember[] | undefined;

/**
 * All members of a group, from a chain of watched pages: the first page, the page at its anchor, and so on, until a page has
 * no anchor, or one that was already followed, as on servers that ignore `count`. Members are emitted only when all pages
 * have been received: a member who has just moved to another page must not seem to have left.
 */
function watchAllPages(
  watchPage: (anchor: string | undefined) => Observable<GroupMemberList>,
  scheduler: SchedulerLike,
): Observable<readonly GroupMember[]> {
  const from = (anchor: string | undefined, followed: readonly string[]): Observable<Rest> => {
    const next = (page: GroupMemberList) =>
      page.anchor && !followed.includes(page.anchor) ? page.anchor : undefined;
    if (followed.length >= MAX_PAGES) return throwError(() => new DecodeError(TOO_MANY_PAGES));
    return watchPage(anchor).pipe(
      connect(page$ =>
        page$.pipe(
          distinctUntilChanged((a, b) => next(a) === next(b)),
          // If the anchor of a page changes, the pages after it are dropped and never combined with the new ones.
          switchMap(first => {
            const present$ = page$.pipe(startWith(first));
            const nextAnchor = next(first);
            if (nextAnchor === undefined) return present$.pipe(map(({ members }) => members));
            return combineLatest([
              present$,
              from(nextAnchor, [...followed, nextAnchor]).pipe(
                // An in-process service answers synchronously: many pages would overflow the call stack.
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

const TOO_MANY_PAGES = {
  path: 'anchor',
  expected: `an end of the group within ${MAX_PAGES} pages`,
  got: 'another page',
};
