import {
  connect,
  defer,
  distinctUntilChanged,
  map,
  merge,
  Subject,
  subscribeOn,
  switchMap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { keyOfMembers } from '../../endpoint/index.js';
import type { GroupMember, GroupMemberList } from '../../protocol/index.js';
import {
  answers,
  watchSettings,
  type Checkpoint,
  type WatchConfig,
  type WatchSignal,
} from '../../stream/index.js';
import type { LobbyContext } from '../context.js';
import { endpointPages, endpointSignals } from '../requests.js';
import { jointSignals, type Page, type PageSignal } from './joint-signals.js';
import { untilNobodyIsNew } from './members.js';
import { readAgain } from './read-again.js';

/** How a group is watched. */
export interface GroupWatchConfig extends WatchConfig<GroupMemberList> {
  /** The number of members per page. */
  readonly count: number;
  /** How many pages to watch. */
  readonly watched: number;
  /** How often the other pages are read again, in ms. */
  readonly refresh: number;
}

/** An answer that comes sooner than this, in ms, is none after a whole block: something in the group has changed. */
const EARLY = 30_000;

/** A new anchor of a page whose members stay the same is followed after this time at the earliest, in ms. */
const MIN_FOLLOW = 5_000;

/**
 * All members of a group, from a chain of watched pages: the first page, the page at its anchor, and so on, until a page has
 * no anchor, or one that was already followed, as on servers that ignore `count`. What comes after the last watched page is
 * read again when a watched page shows that a member has joined or left, and regularly.
 */
export function watchAllPages(
  context: LobbyContext,
  group_id: string,
  { count, watched, refresh, ...watchConfig }: GroupWatchConfig,
): Observable<WatchSignal<readonly GroupMember[]>> {
  const { getMembers } = context.endpoints;
  const settings = watchSettings<never>({ ...context.watch, ...watchConfig });
  const { scheduler } = settings;
  return defer(() => {
    /** Emits if a member may have joined or left on a page that is not watched. */
    const stale$ = new Subject<void>();

    const readRest = (from: string, followed: readonly string[]): Observable<WatchSignal<Page>> => {
      const read$ = defer(() => {
        const paging = { from, anchorOf: anchorsUntilTheEnd(followed), scheduler };
        return endpointPages(context, getMembers, { group_id, count }, paging, 'poll');
      });
      return readAgain(read$.pipe(untilNobodyIsNew(true)), stale$, { refresh, settings }).pipe(
        mapAnswer(read => ({ members: read.flatMap(({ members }) => members), following: undefined })),
      );
    };
    const watchPage = (
      anchor: string | undefined,
      followed: readonly string[],
    ): Observable<WatchSignal<Page>> => {
      const membersKey = lastKey();
      const next = settledAnchor(followed, scheduler, membersKey);
      const keyOf = (page: GroupMemberList) => `${next(page)} ${membersKey(page)}`;
      const ack = staleness(stale$, scheduler, membersKey);
      return endpointSignals(
        context,
        getMembers,
        { group_id, count, anchor },
        { ...watchConfig, ack, keyOf },
      ).pipe(mapAnswer(page => ({ members: page.members, following: next(page) })));
    };
    const chainFrom = (anchor: string | undefined, followed: readonly string[]): Observable<PageSignal> => {
      const depth = followed.length;
      const signal$ = depth === watched ? readRest(anchor!, followed) : watchPage(anchor, followed);
      return signal$.pipe(
        connect(signal$ =>
          merge(signal$.pipe(map(signal => ({ depth, signal }))), signal$.pipe(followedBy(followed))),
        ),
      );
    };
    /** The pages after one, as long as its anchor is the same. */
    const followedBy = (followed: readonly string[]) => (signal$: Observable<WatchSignal<Page>>) =>
      signal$.pipe(
        answers(),
        map(({ following }) => following),
        distinctUntilChanged(),
        switchMap(following => {
          if (following === undefined) return [];
          // An in-process service answers synchronously: many pages would overflow the call stack.
          return chainFrom(following, [...followed, following]).pipe(subscribeOn(scheduler));
        }),
      );
    return chainFrom(undefined, []).pipe(jointSignals());
  });
}

/** The signals of a watch with other answers. */
function mapAnswer<A, B>(project: (answer: A) => B) {
  return map((signal: WatchSignal<A>): WatchSignal<B> =>
    signal.kind === 'answer' ? { kind: 'answer', answer: project(signal.answer) } : signal,
  );
}

/** The key of the members of a page. It is computed once for each answer, which takes much longer than everything else here. */
function lastKey(): typeof keyOfMembers {
  let last: { readonly page: GroupMemberList; readonly key: number } | undefined;
  return page => (last = last?.page === page ? last : { page, key: keyOfMembers(page) }).key;
}

/** The anchor after a page, unless it was followed already: some servers never come to an end. */
function nextAnchor({ anchor }: GroupMemberList, followed: ReadonlySet<string>): string | undefined {
  return anchor && !followed.has(anchor) ? anchor : undefined;
}

/** The anchor after each page in turn, until one repeats: some servers never end. */
function anchorsUntilTheEnd(followed: readonly string[]) {
  const anchors = new Set(followed);
  return (page: GroupMemberList): string | undefined => {
    const anchor = nextAnchor(page, anchors);
    if (anchor !== undefined) anchors.add(anchor);
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
  const seen = new Set(followed);
  let last: { readonly anchor: string | undefined; readonly key: number; readonly at: number } | undefined;
  return (page: GroupMemberList): string | undefined => {
    const now = { anchor: nextAnchor(page, seen), key: membersKey(page), at: scheduler.now() };
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
