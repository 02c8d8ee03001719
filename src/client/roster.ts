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

/** A whole group at one moment, and how it differs from the moment before. */
export interface Roster {
  /** Everyone, by identity_id. A member who has not changed is the same object as before. */
  readonly members: ReadonlyMap<string, GroupMember>;
  /** Who is new; at first, everyone. */
  readonly joined: readonly GroupMember[];
  /** Who is gone, as last seen. */
  readonly left: readonly GroupMember[];
  /** Whose handle or presence changed. */
  readonly updated: readonly GroupMember[];
}

/** Each page is a hanging request: a service that never comes to an end must not open them without end. */
const MOST_PAGES = 100;

/** The rosters of a group, one for each change, from a watch of a page by its anchor. */
export function rosterOf(
  watchPage: (anchor: string | undefined) => Observable<GroupMemberList>,
  scheduler: SchedulerLike,
): Observable<Roster> {
  return watchAllPages(watchPage, scheduler).pipe(
    scan<readonly GroupMember[], Roster, undefined>(nextRoster, undefined),
    distinctUntilChanged(),
  );
}

/** The roster that follows, with these members; the very same roster if nothing changed. */
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

/** The members from some page on; `undefined` while one of its pages is still to come. */
type Rest = readonly GroupMember[] | undefined;

/**
 * All members of a group, from pages that are each watched: the first, the one that its anchor leads to, and so on, up to
 * one without an anchor, or with one that led to a page already, as servers give that ignore `count`. They are emitted
 * together, and only when every page has come: if a page already ends with someone else and leads to another one, whoever
 * moved from one to the other would seem to be gone.
 */
function watchAllPages(
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
          // A page that leads elsewhere ends what follows: it is never combined with the rest of another.
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
