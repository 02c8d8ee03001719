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
import { DecodeError } from '../protocol/index.js';

/** How {@link pages} knows its way. */
export interface PagesConfig<P> {
  /** The anchor that a page gives to the next one. Default: its `anchor`. */
  readonly anchorOf?: (page: P) => string | null | undefined;
  /** Whether a page brings nothing that the one before it did not bring; the stream ends before it. Default: none does. */
  readonly isRepeat?: (page: P, previous: P) => boolean;
}

/**
 * Walks through pages, each asked for with the anchor that the one before it gave, as soon as that one has been handed on:
 * `take(1)` costs one request, and whoever is slow is not waited for. Unsubscribing aborts the page that is on its way.
 *
 * It completes after the page without an anchor; an empty page that gives one is gone on from. An anchor that was given
 * before is a `DecodeError`: the walk would never end. Other errors are those of `page`.
 *
 * @example
 * pages(anchor => client.group.getMembers({ group_id, ...(anchor && { anchor }) })).subscribe(show);
 */
export function pages<P>(
  page: (anchor: string | undefined) => ObservableInput<P>,
  config: PagesConfig<P> = {},
): Observable<P> {
  const { anchorOf = anchorIn, isRepeat = () => false } = config;
  return defer(() => {
    const seen = new Set<string>();
    const next = (anchor: string | undefined, previous: P | undefined) =>
      defer(() => from(page(anchor))).pipe(
        take(1),
        map(current => ({ current, previous })),
        // `expand` asks for the next page while it hands on this one; a moment later, and an unsubscription stops it.
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
