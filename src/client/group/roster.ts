import { concatMap, defer, map, Observable } from 'rxjs';
import { jsonEqual, type GroupMember } from '../../protocol/index.js';
import type { WatchSharing, WatchSignal } from '../../stream/index.js';
import { jointStatus } from './joint-status.js';
import { watchAllPages, type GroupPages } from './group-pages.js';

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

/** The rosters of a group, one for each change, and the gaps and the status of the watches of its pages. */
export function rosterSignals(pages: GroupPages, share?: WatchSharing): Observable<WatchSignal<Roster>> {
  return defer(() => {
    let roster: Roster | undefined;
    const members$ = share ? share(() => memberSignals(pages), { isState: true }) : memberSignals(pages);
    return members$.pipe(
      concatMap((signal): readonly WatchSignal<Roster>[] => {
        if (signal.kind !== 'answer') return [signal];
        const before = roster;
        roster = nextRoster(before, signal.answer);
        return roster === before ? [] : [{ kind: 'answer', answer: roster }];
      }),
    );
  });
}

/** All members each time that a page has come, and the gaps and the status of the watches of its pages. */
function memberSignals(pages: GroupPages): Observable<WatchSignal<readonly GroupMember[]>> {
  return new Observable(subscriber => {
    const joint = jointStatus(subscriber);
    return watchAllPages(pages, joint)
      .pipe(
        map((answer): WatchSignal<readonly GroupMember[]> => {
          joint.onAnswer();
          return { kind: 'answer', answer };
        }),
      )
      .subscribe(subscriber);
  });
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
    // Those on pages that have not changed are the same objects.
    const isSame = old === member || (old !== undefined && jsonEqual(old, member));
    members.set(identity_id, isSame ? old : member);
    if (old === undefined) joined.push(member);
    else if (!isSame) updated.push(member);
  }
  const left: GroupMember[] = [];
  // Mostly no member has left, and a group may be large.
  if (members.size - joined.length < known.size)
    for (const [id, member] of known) if (!members.has(id)) left.push(member);
  const isSame = before !== undefined && joined.length + left.length + updated.length === 0;
  return isSame ? before : { members, joined, left, updated };
}
