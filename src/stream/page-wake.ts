import { filter, NEVER, Observable } from 'rxjs';

/**
 * Emits when a page is back: it is online again, it has become visible, it has been resumed, or it has come out of the
 * back/forward cache. Use it as the `wake$` of a watch; a client's watches in a page do so by default. It never completes, and
 * never emits outside of a page.
 *
 * @example
 * watch(poll, { wake$: pageWake() });
 */
export function pageWake(): Observable<unknown> {
  return pageEvents('online', 'visibilitychange', 'resume', 'pageshow').pipe(filter(isBack));
}

function isBack({ type, persisted }: PageEvent): boolean {
  if (type === 'visibilitychange') return page.document?.visibilityState === 'visible';
  // Without `persisted`, it has only been loaded.
  return type !== 'pageshow' || persisted === true;
}

/** Whether this is a page: only pages are hidden, frozen and kept in a cache. */
export function isPage(): boolean {
  return page.document?.visibilityState !== undefined && page.addEventListener !== undefined;
}

/** The events of these types of a page and its document, before any other listener can stop them. Never, outside of a page. */
export function pageEvents(...types: readonly string[]): Observable<PageEvent> {
  if (!isPage()) return NEVER;
  return new Observable(subscriber => {
    const tell = (event: PageEvent) => subscriber.next(event);
    for (const type of types) page.addEventListener?.(type, tell, CAPTURE);
    return () => {
      for (const type of types) page.removeEventListener?.(type, tell, CAPTURE);
    };
  });
}

/** Events of the document pass the window only on their way down. */
const CAPTURE = { capture: true };

/** An event of a page. */
export interface PageEvent {
  readonly type: string;
  /** Of `pageshow` and `pagehide`: the page comes out of the back/forward cache, or may go into it. */
  readonly persisted?: boolean;
}

/** The parts of the global object that a page has, so that these types do not depend on the DOM. */
interface Page {
  readonly document?: { readonly visibilityState?: string };
  readonly addEventListener?: Listening;
  readonly removeEventListener?: Listening;
}
type Listening = (type: string, listener: (event: PageEvent) => void, options: { capture: boolean }) => void;

const page = globalThis as Page;
