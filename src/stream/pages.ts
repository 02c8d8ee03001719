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
} from 'rxjs';
import { aFunction, checkOptions, DecodeError, type Options } from '../error/index.js';

/** How {@link pages} finds its way. */
export interface PagesConfig<P> {
  /** The anchor that a page gives for the next one. Default: its `anchor`. */
  readonly anchorOf?: (page: P) => string | null | undefined;
  /** Whether a page has nothing that the one before it did not have; the stream then ends before it. Default: none has. */
  readonly isRepeat?: (page: P, previous: P) => boolean;
}

const OPTIONS: Options<PagesConfig<never>> = { anchorOf: aFunction, isRepeat: aFunction };

/**
 * Walks through pages. Each is asked for with the anchor of the one before it, as soon as that one has been emitted:
 * `take(1)` costs one request, and a slow subscriber is not waited for. Unsubscribing aborts the page that is on its way.
 *
 * It completes after the page without an anchor; after an empty page with one it goes on. An anchor that was given before
 * is a `DecodeError`, since the walk would never end. Other errors are those of `page`.
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
  const { anchorOf = anchorIn, isRepeat = () => false } = config;
  return defer(() => {
    const seen = new Set<string>();
    const next = (anchor: string | undefined, previous: P | undefined) =>
      defer(() => from(page(anchor))).pipe(
        take(1),
        map(current => ({ current, previous })),
        // `expand` asks for the next page while it emits this one. A moment later, and an unsubscription stops it.
        subscribeOn(asapScheduler),
      );

    return next(undefined, undefined).pipe(
      expand(({ current }) => {
        const anchor = anchorOf(current);
        if (!anchor) return EMPTY;
        if (seen.has(anchor)) return throwError(() => new DecodeError(REPEATED));
        seen.add(anchor);
        return next(anchor, current);
      }, 1),
      takeWhile(({ current, previous }) => previous === undefined || !isRepeat(current, previous)),
      map(({ current }) => current),
    );
  });
}

const REPEATED = { path: 'anchor', expected: 'an anchor that was not given before', got: 'one that was' };

function anchorIn(page: unknown): string | null | undefined {
  return (page as { anchor?: string | null } | null)?.anchor;
}
