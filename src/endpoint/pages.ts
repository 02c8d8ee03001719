import {
  asapScheduler,
  defer,
  EMPTY,
  expand,
  from,
  map,
  subscribeOn,
  take,
  takeWhile,
  throwError,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  aFunction,
  checkOptions,
  cursorArgument,
  DecodeError,
  schedulerLike,
  type Options,
} from '../error/index.js';

/** The options of {@link pages}. */
export interface PagesConfig<P> {
  /** The anchor of the first page to read. Default: none, for the first page there is. */
  readonly from?: string;
  /** Returns the anchor of the next page. Default: the `anchor` field of the page. */
  readonly anchorOf?: (page: P) => string | null | undefined;
  /** Whether a page only repeats the previous one. If so, the stream completes without it. Default: never. */
  readonly isRepeat?: (page: P, previous: P) => boolean;
  /** When the requests are sent. Default `asapScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<PagesConfig<never>> = {
  from: cursorArgument,
  anchorOf: aFunction,
  isRepeat: aFunction,
  scheduler: schedulerLike,
};

/**
 * Reads all pages, one after the other. Each page is requested with the anchor of the previous one, as soon as that has been
 * emitted: `take(1)` costs one request, and there is no waiting for slow subscribers. Unsubscribing aborts the pending
 * request.
 *
 * It completes after the first page without an anchor. An empty page with an anchor does not end it. A repeated anchor is a
 * `DecodeError`, since the stream would never end. Other errors are those of `page`.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * pages(anchor => client.group.getMembers({ group_id, ...(anchor && { anchor }) })).subscribe(show);
 */
export function pages<P>(
  page: (anchor: string | undefined) => ObservableInput<P>,
  config: PagesConfig<P> = {},
): Observable<P> {
  checkOptions<PagesConfig<never>>(config, OPTIONS);
  const { from: start, anchorOf = anchorIn, isRepeat = () => false, scheduler = asapScheduler } = config;
  return defer(() => {
    const seenAnchors = new Set<string>();
    const next = (anchor: string | undefined, previous: P | undefined) =>
      defer(() => from(page(anchor))).pipe(
        take(1),
        map(current => ({ current, previous })),
        // `expand` requests the next page while it emits this one. Deferred, so that `take(1)` can still stop it.
        subscribeOn(scheduler),
      );

    return next(start, undefined).pipe(
      expand(({ current }) => {
        const anchor = anchorOf(current);
        if (!anchor) return EMPTY;
        if (seenAnchors.has(anchor)) return throwError(() => new DecodeError(REPEATED_ANCHOR));
        seenAnchors.add(anchor);
        return next(anchor, current);
      }, 1),
      takeWhile(({ current, previous }) => previous === undefined || !isRepeat(current, previous)),
      map(({ current }) => current),
    );
  });
}

const REPEATED_ANCHOR = {
  path: 'anchor',
  expected: 'an anchor that was not given before',
  got: 'one that was',
};

function anchorIn(page: unknown): string | null | undefined {
  return (page as { anchor?: string | null } | null)?.anchor;
}
