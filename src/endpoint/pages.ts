import {
  asapScheduler,
  defer,
  EMPTY,
  expand,
  map,
  subscribeOn,
  take,
  throwError,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import {
  aFunction,
  anAnswer,
  answeredAtOnce,
  aPlainValue,
  atOnce,
  checkOptions,
  cursorArgument,
  DecodeError,
  schedulerLike,
  type Options,
} from '../error/index.js';
import { flattened } from '../stream/index.js';

/** The options of {@link pages}. */
export interface PagesConfig<P> {
  /** The anchor of the first page to read. Default: none, for the very first page. */
  readonly from?: string;
  /**
   * Returns the anchor of the next page. A safe integer counts as its digits, and any other number
   * is a `DecodeError`. A page without an anchor, or with an empty string, is the last one.
   * Default: the `anchor` field of the page.
   */
  readonly anchorOf?: (page: P) => string | number | null | undefined;
  /** The scheduler that sends the requests. Default `asapScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<PagesConfig<never>> = {
  from: cursorArgument,
  anchorOf: aFunction,
  scheduler: schedulerLike,
};

/**
 * Reads all pages, one after the other. Each page is requested with the anchor of the previous one,
 * as soon as that has been emitted. So `take(1)` costs one request, and slow subscribers are not
 * waited for. Unsubscribing aborts the pending request.
 *
 * It completes after the first page without an anchor, or with an empty one. An empty page with an
 * anchor does not end it. A repeated anchor is a `DecodeError`, since the stream would never end.
 * Other errors are those of `page`.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * pages(anchor => client.group.getMembers({ group_id, ...(anchor && { anchor }) })).subscribe(
 *   show,
 * );
 */
export function pages<P>(
  page: (anchor: string | undefined) => ObservableInput<P>,
  config: PagesConfig<P> = {},
): Observable<P> {
  checkOptions<PagesConfig<never>>(config, OPTIONS);
  const { from: start, scheduler = asapScheduler } = config;
  const anchorOf = atOnce('anchorOf', config.anchorOf ?? anchorIn, aPlainValue);
  return defer(() => {
    const seenAnchors = new Set<string>();
    const next = (anchor: string | undefined) =>
      defer(() => flattened(page(anchor))).pipe(
        take(1),
        map(page => answeredAtOnce('page', page, anAnswer)),
        // `expand` requests the next page while it emits this one. It is deferred, so that
        // `take(1)` can still stop it.
        subscribeOn(scheduler),
      );

    return next(start).pipe(
      expand(current => {
        const given = anchorOf(current) ?? '';
        // Two anchors that are rounded to one number would be the same page.
        if (typeof given === 'number' && !Number.isSafeInteger(given))
          return throwError(() => new DecodeError(UNSAFE_ANCHOR));
        const anchor = String(given);
        if (anchor === '') return EMPTY;
        if (seenAnchors.has(anchor)) return throwError(() => new DecodeError(REPEATED_ANCHOR));
        seenAnchors.add(anchor);
        return next(anchor);
      }, 1),
    );
  });
}

const REPEATED_ANCHOR = {
  path: 'anchor',
  expected: 'an anchor that was not given before',
  got: 'one that was',
};

const UNSAFE_ANCHOR = {
  path: 'anchor',
  expected: 'a string or a safe integer',
  got: 'another number',
};

function anchorIn(page: unknown): string | number | null | undefined {
  return (page as { anchor?: string | number | null } | null)?.anchor;
}
