import {
  combineLatest,
  connect,
  defer,
  distinctUntilChanged,
  filter,
  map,
  merge,
  startWith,
  Subject,
  subscribeOn,
  switchMap,
  take,
  tap,
  timer,
  toArray,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { recovery } from '../../error/index.js';
import type { GroupMember, GroupMemberList } from '../../protocol/index.js';
import {
  answers,
  watchSignals,
  type Checkpoint,
  type WatchConfig,
  type WatchSignal,
} from '../../stream/index.js';
import type { JointStatus } from './joint-status.js';
import { keyOfMembers } from '../../endpoint/index.js';

/** How to read and to watch the pages of a group. */
export interface GroupPages {
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
  /** How often to read the others again, in ms. */
  readonly refresh: number;
  /** For the watch of the others. */
  readonly config: WatchConfig<RestOfGroup>;
  readonly scheduler: SchedulerLike;
}

/** The members on the pages that are not watched. */
interface RestOfGroup {
  readonly members: readonly GroupMember[];
  readonly watch: { readonly index: string };
}

/** An answer that comes sooner than this, in ms, is none after a whole block: something in the group has changed. */
const EARLY = 30_000;

/** The least time between two readings of the pages that are not watched, in ms. */
const MIN_REFRESH = 5_000;

/** So many pages without anybody new are the end of a group. An empty page alone is not. */
const MAX_IN_VAIN = 100;

/** The members from one page on; `undefined` until all those pages have been received. */
type Rest = readonly GroupMember[] | undefined;

/**
 * All members of a group, from a chain of watched pages: the first page, the page at its anchor, and so on, until a page has
 * no anchor, or one that was already followed, as on servers that ignore `count`. What comes after the last watched page is
 * read again when a watched page tells that somebody has joined or left, and regularly. Members are emitted only when all pages
 * have been received: a member who has just moved to another page must not seem to have left.
 */
export function watchAllPages(
  pages: GroupPages,
  { report }: JointStatus,
): Observable<readonly GroupMember[]> {
  /** Emits if somebody may have joined or left on a page that is not watched. */
  const stale$ = new Subject<void>();

  const from = (anchor: string | undefined, followed: ReadonlySet<string>): Observable<Rest> => {
    const next = calmly(nextAnchor(followed), pages.scheduler);
    const onAnswer = staleness(stale$, pages.scheduler);
    const keyOf = (page: GroupMemberList) => `${next(page)} ${keyOfMembers(page)}`;
    return pages.watchPage(anchor, { ack: onAnswer, keyOf }).pipe(
      report(),
      answers(),
      map(page => ({ members: page.members, following: next(page) })),
      connect(page$ =>
        page$.pipe(
          distinctUntilChanged((a, b) => a.following === b.following),
          // If the anchor of a page changes, the pages after it are dropped and never combined with the new ones.
          switchMap(first => {
            const present$ = page$.pipe(startWith(first));
            const { following } = first;
            if (following === undefined) return present$.pipe(map(({ members }) => members));
            const soFar = new Set([...followed, following]);
            const isLastWatched = followed.size + 1 >= pages.watched;
            const rest$: Observable<Rest> = isLastWatched
              ? watchRest(following, followed, stale$, pages).pipe(
                  report(),
                  answers(),
                  map(({ members }) => members),
                )
              : from(following, soFar);
            return combineLatest([
              present$,
              // An in-process service answers synchronously: many pages would overflow the call stack.
              rest$.pipe(subscribeOn(pages.scheduler), startWith(undefined)),
            ]).pipe(map(([{ members }, rest]) => rest && [...members, ...rest]));
          }),
        ),
      ),
    );
  };
  return from(undefined, new Set()).pipe(filter(members => members !== undefined));
}

/** The anchor after a page, unless it was followed already: some servers never come to an end. */
function nextAnchor(followed: ReadonlySet<string>) {
  return ({ anchor }: GroupMemberList) => (anchor && !followed.has(anchor) ? anchor : undefined);
}

/** The anchor after each page in turn, until anchors repeat, or the pages bring nobody for too long: some servers never end. */
function untilTheEnd(followed: ReadonlySet<string>, from: string) {
  const anchors = new Set([...followed, from]);
  const ids = new Set<string>();
  let inVain = 0;
  return (page: GroupMemberList): string | undefined => {
    const before = ids.size;
    for (const { identity } of page.members) ids.add(identity.identity_id);
    inVain = ids.size > before ? 0 : inVain + 1;
    const anchor = inVain > MAX_IN_VAIN ? undefined : nextAnchor(anchors)(page);
    if (anchor !== undefined) anchors.add(anchor);
    return anchor;
  };
}

/**
 * Follows a new anchor at most every few seconds as long as the members of the page stay the same: some servers have a new one
 * in every answer.
 */
function calmly(next: ReturnType<typeof nextAnchor>, scheduler: SchedulerLike): typeof next {
  let last: { readonly anchor: string | undefined; readonly key: number; readonly at: number } | undefined;
  return page => {
    const now = { anchor: next(page), key: keyOfMembers(page), at: scheduler.now() };
    const isSame = last?.key === now.key && (last.anchor === undefined) === (now.anchor === undefined);
    if (!last || !isSame || now.at - last.at >= MIN_REFRESH) last = now;
    return last.anchor;
  };
}

/**
 * Looks at every answer of a watched page, also at those without news. An early one means that somebody on this page has
 * changed, or that somebody has joined or left anywhere: then the ids have changed, or nothing on this page has.
 */
function staleness(stale$: Subject<void>, scheduler: SchedulerLike) {
  let before: { readonly ids: string; readonly key: number } | undefined;
  return (page: GroupMemberList, { at }: Checkpoint): void => {
    const ids = page.members
      .map(({ identity }) => identity.identity_id)
      .sort()
      .join(' ');
    const now = { ids, key: keyOfMembers(page) };
    const isOther = before !== undefined && (now.ids !== before.ids || now.key === before.key);
    before = now;
    if (isOther && scheduler.now() - at < EARLY) stale$.next();
  };
}

/** Watches pages by reading them again: when they are stale, and regularly. */
function watchRest(
  from: string,
  followed: ReadonlySet<string>,
  stale$: Observable<void>,
  { readPages, refresh, config, scheduler }: GroupPages,
): Observable<WatchSignal<RestOfGroup>> {
  return defer(() => {
    let readings = 0;
    let isStale = false;
    /** A reading has failed, or there has been none. */
    let isMissing = true;
    const read$ = defer(() => {
      isStale = false;
      isMissing = true;
      return readPages(from, untilTheEnd(followed, from));
    }).pipe(
      toArray(),
      map((pages): RestOfGroup => {
        readings++;
        isMissing = false;
        return { members: pages.flatMap(({ members }) => members), watch: { index: String(readings) } };
      }),
    );
    const due$ = defer(() => {
      const refresh$ = timer(refresh, scheduler);
      const staleSoon$ = timer(Math.min(refresh, MIN_REFRESH), scheduler).pipe(
        switchMap(() => (isStale ? [true] : stale$)),
      );
      return merge(refresh$, staleSoon$).pipe(take(1));
    });
    const signals$ = watchSignals<RestOfGroup>(
      (_, { onArrival }) => {
        // The wait is no missing answer, and the reading of many pages may take long.
        onArrival();
        return isMissing ? read$ : due$.pipe(switchMap(() => read$));
      },
      {
        ...config,
        keyOf: keyOfMembers,
        // Their index is only the number of the reading: it never gets too old, and nobody can refuse it.
        retention: 2 ** 31 - 1,
        recovery: error => {
          const { kind, ...rest } = recovery(error);
          return kind === 'index' ? { kind: 'end' } : { kind, ...rest };
        },
      },
    );
    return merge(
      signals$,
      stale$.pipe(
        tap(() => (isStale = true)),
        filter(() => false),
      ),
    ) as typeof signals$;
  });
}
