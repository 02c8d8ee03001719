import {
  concat,
  concatMap,
  defer,
  EMPTY,
  filter,
  ignoreElements,
  map,
  merge,
  of,
  repeat,
  retry,
  Subject,
  switchMap,
  take,
  tap,
  timer,
  toArray,
  type Observable,
} from 'rxjs';
import { keyOfMembers } from '../../endpoint/index.js';
import type { GroupMemberList } from '../../protocol/index.js';
import {
  connecting,
  watchSettings,
  type Checkpoint,
  type StatusSignal,
  type WatchConfig,
  type WatchSettings,
  type WatchSignal,
  type WatchStatus,
} from '../../stream/index.js';
import type { ClientContext } from '../context.js';
import { endpointSignals } from '../endpoint-watch.js';
import { refreshedPages } from '../requests.js';
import { FailedRefreshes } from './failed-refreshes.js';
import { KnownMembers } from './known-members.js';
import { idsOn, untilNoNewMembers, untilRepeated, type GroupEntries } from './members.js';

/** The options of watching a group. */
export interface GroupWatchConfig extends WatchConfig<GroupMemberList> {
  /** The number of members per page. */
  readonly count: number;
  /** How often the pages after the first one are refreshed, in ms. */
  readonly refreshInterval: number;
}

/**
 * An answer that comes sooner than this, in ms, was not held for the whole time. So something in
 * the group has changed.
 */
const EARLY_MS = 30_000;
/** The least time between two refreshes that follow changes, in ms. */
const MIN_REFRESH_MS = 5_000;

/**
 * All members of a group. The first page is watched, since the service answers it at each join and
 * leave in the whole group. The other pages are refreshed after such an answer, and regularly.
 * Everyone on any of the pages is a member. {@link KnownMembers} says who has left.
 */
export function watchGroup(
  context: ClientContext,
  group_id: string,
  config: GroupWatchConfig,
): Observable<WatchSignal<Required<GroupEntries>>> {
  const { count, refreshInterval, ...watchConfig } = config;
  const settings = watchSettings<never>({ ...context.watch, ...(watchConfig as WatchConfig<never>) });
  const group = { group_id, count };
  return defer(() => new GroupWatch(context, group, { watchConfig, refreshInterval, settings }).signals());
}

class GroupWatch {
  readonly #known = new KnownMembers();
  /** Emits after each answer of the first page that says more than the one before. */
  readonly #changed$ = new Subject<void>();
  /** Emits at each answer of the first page. */
  readonly #answered$ = new Subject<void>();
  readonly #wake$: Observable<unknown>;
  readonly #failed: FailedRefreshes;
  #first: GroupMemberList | undefined;
  #firstKey: number | undefined;
  /** Whether the pages after the first one may have changed. */
  #needsRefresh = false;
  /** The last status of the watched page. */
  #status: WatchStatus;
  readonly #ofAnswer = new StatusOfAnswer();
  /** The number of requests that the last refresh took. */
  #requests = 1;

  constructor(
    private readonly context: ClientContext,
    private readonly group: { readonly group_id: string; readonly count: number },
    private readonly config: {
      readonly watchConfig: WatchConfig<GroupMemberList>;
      readonly refreshInterval: number;
      readonly settings: WatchSettings<never>;
    },
  ) {
    this.#status = connecting(config.settings.scheduler.now());
    this.#wake$ = context.life.wakes(config.settings.wake$);
    this.#failed = new FailedRefreshes(config.settings, this.#answered$, this.#wake$);
  }

  signals(): Observable<WatchSignal<Required<GroupEntries>>> {
    const refreshes$ = this.#refresh().pipe(
      repeat({ delay: () => this.#due() }),
      retry({ delay: error => this.#failed.nextTry$(error, this.#status) }),
    );
    const begun$ = this.#changed$.pipe(
      take(1),
      switchMap(() => refreshes$),
    );
    const answer$ = merge(this.#changed$, begun$).pipe(
      filter(() => this.#known.isComplete),
      map(() => ({ kind: 'answer', answer: this.#known.list(), status: this.#ofAnswer.status }) as const),
    );
    const status$ = this.#failed.status$.pipe(map(status => ({ kind: 'status', status }) as const));
    return merge(status$, answer$, this.#watchedPage());
  }

  /** The gaps and the status of the watch of the first page. Its answers go into `#known`. */
  #watchedPage(): Observable<WatchSignal<never>> {
    const ack = (page: GroupMemberList, { at }: Checkpoint) => {
      // An answer without news has not been emitted, but may have another anchor.
      if (page !== this.#first) this.#onFirstPage(page, at);
    };
    const config = { ...this.config.watchConfig, ack };
    return endpointSignals(this.context, this.context.endpoints.getMembers, this.group, config).pipe(
      concatMap(signal => this.#onSignal(signal)),
    );
  }

  #onSignal(signal: WatchSignal<GroupMemberList>): readonly WatchSignal<never>[] {
    if (signal.kind === 'gap') return [signal];
    if (signal.kind === 'status') {
      const before = this.#status;
      this.#status = signal.status;
      if (this.#failed.areShown && signal.status.state !== 'closed') return [];
      return this.#ofAnswer.onStatus(signal, before);
    }
    if (signal.kind === 'answer') this.#onFirstPage(signal.answer, signal.checkpoint!.at);
    return this.#ofAnswer.onAnswer();
  }

  #onFirstPage(page: GroupMemberList, askedAt: number): void {
    this.#answered$.next();
    const key = keyOfMembers(page);
    const before = this.#first;
    const isSame = key === this.#firstKey;
    this.#first = page;
    this.#firstKey = key;
    const isEarly = !before || this.config.settings.scheduler.now() - askedAt < EARLY_MS;
    if (!isEarly && isSame) return;
    // An early answer without a change on the page is about another page. An answer with other
    // members may be about another page, too.
    if (isSame || !before || idsOf(before) !== idsOf(page)) this.#needsRefresh = true;
    if (page.anchor) this.#known.add(page);
    else this.#known.replaceAll(page);
    this.#changed$.next();
  }

  /** Reads the pages after the first one. Emits after that refresh. */
  #refresh(): Observable<unknown> {
    return defer(() => {
      this.#needsRefresh = false;
      return concat(this.#mayRefresh(), this.#restOfPages()).pipe(
        toArray(),
        tap(pages => {
          this.#requests = Math.max(1, pages.length);
          this.#failed.reset(this.#status);
          // During the refresh, a member may have moved to the first page.
          this.#known.refresh([...pages, this.#first!]);
        }),
      );
    });
  }

  #restOfPages(): Observable<GroupMemberList> {
    const { context, group } = this;
    const from = this.#first?.anchor;
    if (!from) return EMPTY;
    const paging = { from, anchorOf: untilRepeated(from), scheduler: this.config.settings.scheduler };
    return refreshedPages(context, context.endpoints.getMembers, group, paging).pipe(untilNoNewMembers(true));
  }

  /**
   * Completes when a refresh may begin: the quota has room for it, or it has been due for long, and
   * `beforePoll` allows it.
   */
  #mayRefresh(): Observable<never> {
    const { refreshInterval, settings } = this.config;
    const route = this.context.quota.of(this.context.endpoints.getMembers);
    const room$ = route?.room(this.#requests, refreshInterval) ?? EMPTY;
    const beforePoll$ = defer(() => settings.beforePoll?.() ?? EMPTY).pipe(take(1));
    return concat(room$, beforePoll$).pipe(ignoreElements());
  }

  /** Emits when it is time for the next refresh. */
  #due(): Observable<unknown> {
    const { refreshInterval, settings } = this.config;
    const { minInterval, scheduler } = settings;
    // A missing member has left, or is found by the next refresh.
    if (this.#known.isMissing) return timer(minInterval, scheduler);
    const early$ = timer(Math.min(refreshInterval, MIN_REFRESH_MS), scheduler).pipe(
      switchMap(() =>
        this.#needsRefresh
          ? of(0)
          : merge(this.#changed$.pipe(filter(() => this.#needsRefresh)), this.#wake$),
      ),
    );
    return merge(timer(refreshInterval, scheduler), early$).pipe(take(1));
  }
}

function idsOf(page: GroupMemberList): string {
  return [...idsOn(page)].sort().join(' ');
}

/**
 * A watch is live before it emits the answer that says so. A roster is live with its members. So
 * that status waits for the answer, and follows it.
 */
class StatusOfAnswer {
  #waiting: StatusSignal | undefined;

  /** The status that the next answer begins. `undefined` if it begins none. */
  get status(): WatchStatus | undefined {
    return this.#waiting?.status;
  }

  /**
   * Returns the status to emit now. The list is empty if an answer with this status is about to
   * come.
   */
  onStatus(signal: StatusSignal, before: WatchStatus): readonly StatusSignal[] {
    const { state, lastAnswer } = signal.status;
    if (state !== 'live' || lastAnswer === before.lastAnswer) return [signal];
    this.#waiting = signal;
    return [];
  }

  /** The answer has come, with members or without news. */
  onAnswer(): readonly StatusSignal[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting ? [waiting] : [];
  }
}
