import {
  connect,
  defer,
  distinctUntilChanged,
  filter,
  map,
  merge,
  scan,
  Subject,
  subscribeOn,
  switchMap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { keyOfMembers } from '../../endpoint/index.js';
import type { GroupMember, GroupMemberList } from '../../protocol/index.js';
import { answers, type Checkpoint, type WatchConfig, type WatchSignal } from '../../stream/index.js';
import type { JointStatus } from './joint-status.js';
import { readAgain, type ReadAgainConfig } from './read-again.js';

/** How to read and to watch the pages of a group. */
export interface GroupPages extends ReadAgainConfig {
  /** Watches the page at an anchor. */
  readonly watchPage: (
    anchor: string | undefined,
    config: Pick<WatchConfig<GroupMemberList>, 'ack' | 'keyOf'>,
  ) => Observable<WatchSignal<GroupMemberList>>;
  /** Reads all pages from an anchor on, once. `anchorOf` tells how to go on. */
  readonly readPages: (
    anchor: string,
    anchorOf: (page: GroupMemberList) => string | undefined,
  ) => Observable<GroupMemberList>;
  /** How many pages to watch. */
  readonly watched: number;
}

/** An answer that comes sooner than this, in ms, is none after a whole block: something in the group has changed. */
const EARLY = 30_000;

/** A new anchor of a page whose members stay the same is followed after this time at the earliest, in ms. */
const MIN_FOLLOW = 5_000;

/** After this many pages without new members a group ends. A single empty page does not end it. */
const MAX_IN_VAIN = 100;

/** A page in the chain, or what comes after the last watched one. */
interface Link {
  /** The number of pages before it. */
  readonly depth: number;
  readonly members: readonly GroupMember[];
  /** The anchor of the next page; undefined at the end of the chain. */
  readonly following: string | undefined;
}

/**
 * All members of a group, from a chain of watched pages: the first page, the page at its anchor, and so on, until a page has
 * no anchor, or one that was already followed, as on servers that ignore `count`. What comes after the last watched page is
 * read again when a watched page shows that a member has joined or left, and regularly. Members are emitted only when all pages
 * have been received: a member who has just moved to another page must not seem to have left.
 */
export function watchAllPages(
  pages: GroupPages,
  { report }: JointStatus,
): Observable<readonly GroupMember[]> {
  const { watchPage, readPages, watched } = pages;
  const { scheduler } = pages.settings;
  /** Emits if a member may have joined or left on a page that is not watched. */
  const stale$ = new Subject<void>();

  const linksFrom = (anchor: string | undefined, followed: readonly string[]): Observable<Link> => {
    const depth = followed.length;
    if (depth === watched) {
      const read$ = defer(() => readPages(anchor!, anchorsUntilTheEnd(followed)));
      return readAgain(read$, stale$, pages).pipe(
        report,
        answers(),
        map(read => ({ depth, members: read.flatMap(({ members }) => members), following: undefined })),
      );
    }
    const membersKey = lastKey();
    const next = settledAnchor(followed, scheduler, membersKey);
    const keyOf = (page: GroupMemberList) => `${next(page)} ${membersKey(page)}`;
    return watchPage(anchor, { ack: staleness(stale$, scheduler, membersKey), keyOf }).pipe(
      report,
      answers(),
      map(page => ({ depth, members: page.members, following: next(page) })),
      connect(link$ => merge(link$, link$.pipe(switchToNext(followed)))),
    );
  };
  /** The pages after one, as long as its anchor is the same. */
  const switchToNext = (followed: readonly string[]) => (link$: Observable<Link>) =>
    link$.pipe(
      map(({ following }) => following),
      distinctUntilChanged(),
      switchMap(following => {
        if (following === undefined) return [];
        // An in-process service answers synchronously: many pages would overflow the call stack.
        return linksFrom(following, [...followed, following]).pipe(subscribeOn(scheduler));
      }),
    );
  return linksFrom(undefined, []).pipe(
    scan(withLink, []),
    filter(chain => chain.at(-1)?.following === undefined),
    map(chain => chain.flatMap(({ members }) => members)),
  );
}

/** The key of the members of a page. It is computed once for each answer, which takes much longer than everything else here. */
function lastKey(): typeof keyOfMembers {
  let last: { readonly page: GroupMemberList; readonly key: number } | undefined;
  return page => (last = last?.page === page ? last : { page, key: keyOfMembers(page) }).key;
}

/** The chain with a link. If the anchor of a page has changed, the pages after it are dropped and never combined with the new ones. */
function withLink(chain: readonly Link[], link: Link): readonly Link[] {
  const { depth, following } = link;
  const after = chain[depth]?.following === following ? chain.slice(depth + 1) : [];
  return [...chain.slice(0, depth), link, ...after];
}

/** The anchor after a page, unless it was followed already: some servers never come to an end. */
function nextAnchor({ anchor }: GroupMemberList, followed: readonly string[]): string | undefined {
  return anchor && !followed.includes(anchor) ? anchor : undefined;
}

/** The anchor after each page in turn, until one repeats, or too many pages bring no new members: some servers never end. */
function anchorsUntilTheEnd(followed: readonly string[]) {
  const anchors = [...followed];
  const ids = new Set<string>();
  let inVain = 0;
  return (page: GroupMemberList): string | undefined => {
    const before = ids.size;
    for (const { identity } of page.members) ids.add(identity.identity_id);
    inVain = ids.size > before ? 0 : inVain + 1;
    const anchor = inVain > MAX_IN_VAIN ? undefined : nextAnchor(page, anchors);
    if (anchor !== undefined) anchors.push(anchor);
    return anchor;
  };
}

/**
 * The anchor after a page. While its members stay the same, a new one is followed at most every few seconds: some servers have
 * one in every answer.
 */
function settledAnchor(
  followed: readonly string[],
  scheduler: SchedulerLike,
  membersKey: typeof keyOfMembers,
) {
  let last: { readonly anchor: string | undefined; readonly key: number; readonly at: number } | undefined;
  return (page: GroupMemberList): string | undefined => {
    const now = { anchor: nextAnchor(page, followed), key: membersKey(page), at: scheduler.now() };
    const isSame = last?.key === now.key && (last.anchor === undefined) === (now.anchor === undefined);
    if (!last || !isSame || now.at - last.at >= MIN_FOLLOW) last = now;
    return last.anchor;
  };
}

/**
 * Looks at every answer of a watched page, also at those without news. An early one means that a member on this page has
 * changed, or that one has joined or left anywhere: then the ids have changed, or nothing on this page has.
 */
function staleness(stale$: Subject<void>, scheduler: SchedulerLike, membersKey: typeof keyOfMembers) {
  let before: { readonly ids: string; readonly key: number } | undefined;
  return (page: GroupMemberList, { at }: Checkpoint): void => {
    const ids = page.members
      .map(({ identity }) => identity.identity_id)
      .sort()
      .join(' ');
    const now = { ids, key: membersKey(page) };
    const isOther = before !== undefined && (now.ids !== before.ids || now.key === before.key);
    before = now;
    if (isOther && scheduler.now() - at < EARLY) stale$.next();
  };
}
