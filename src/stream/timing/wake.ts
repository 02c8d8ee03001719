import {
  filter,
  ignoreElements,
  map,
  NEVER,
  Observable,
  repeat,
  startWith,
  take,
  timer,
  type SchedulerLike,
  type TimestampProvider,
} from 'rxjs';
import { DirectSubject } from '../../direct/index.js';
import { aheadSince, instant, monotonicClock, type Clocks } from './clocks.js';

/**
 * The default wake source of a watch: {@link pageWake} in a page, elsewhere jumps of the wall
 * clock. What the watch then does is in `transition/interruption-transition.ts`.
 */
export function defaultWake(scheduler: SchedulerLike, monotonic?: TimestampProvider): Observable<unknown> {
  return isPage() ? pageWake() : clockJumps(scheduler, monotonic);
}

/** How often the clocks are compared, in ms. */
const EVERY_MS = 5_000;

/**
 * How far the wall clock must have run ahead, in ms. The clocks differ by less while one is being
 * adjusted.
 */
const TOLERANCE_MS = 5_000;

/** One detector for all watches with the same clock, so that many of them cost no more than one. */
const detectors = new WeakMap<SchedulerLike, Observable<number>>();

/**
 * Emits when the wall clock has run ahead of the monotonic one, with the difference in ms. Then the
 * machine slept, and connections that look open may be dead. It never completes.
 *
 * Both clocks go on in a process that gets no CPU or is stopped, and in a hidden page whose timers
 * are slow. None of that is a jump. Where the monotonic clock counts sleep (macOS, perhaps
 * Windows), timers count it, too, and a poll reaches its timeout instead.
 */
export function clockJumps(scheduler: SchedulerLike, monotonic?: TimestampProvider): Observable<number> {
  if (monotonic) return shared(jumpsOf({ scheduler, monotonic }));
  const detector =
    detectors.get(scheduler) ?? shared(jumpsOf({ scheduler, monotonic: monotonicClock(scheduler) }));
  detectors.set(scheduler, detector);
  return detector;
}

/**
 * Like `interval`, with a new action each time. An action of virtual time that is scheduled again
 * keeps all those before it, and overflows the stack after some thousands.
 */
export function every(ms: number, scheduler: SchedulerLike): Observable<unknown> {
  return timer(ms, scheduler).pipe(repeat());
}

function jumpsOf(clocks: Clocks): Observable<number> {
  return new Observable(subscriber => {
    let last = instant(clocks);
    return every(EVERY_MS, clocks.scheduler)
      .pipe(
        map(() => {
          const before = last;
          last = instant(clocks);
          return aheadSince(before, last);
        }),
        filter(ahead => ahead > TOLERANCE_MS),
      )
      .subscribe(subscriber);
  });
}

/** Like `share`, but without an RxJS subscriber for each watch. */
function shared<T>(source: Observable<T>): Observable<T> {
  const shared$ = new DirectSubject<T>(() => source.subscribe(value => shared$.next(value)));
  return shared$;
}

/**
 * Emits when a page is back: it is online again, has become visible, has been resumed, or has come
 * out of the back/forward cache. Use it as the `wake$` of a watch. A client's watches in a page use
 * it by default. It never completes, and never emits outside of a page.
 *
 * @example
 * watch(poll, { wake$: pageWake() });
 */
export function pageWake(): Observable<unknown> {
  return pageEvents('online', 'visibilitychange', 'resume', 'pageshow').pipe(filter(isBack));
}

function isBack({ type, persisted }: PageEvent): boolean {
  if (type === 'visibilitychange') return page.document?.visibilityState === 'visible';
  // Without `persisted`, the page has only been loaded.
  return type !== 'pageshow' || persisted === true;
}

/**
 * Emits when a page is offline, as far as its browser knows: at once if it already is, and each
 * time that it becomes so.
 */
export function pageOffline(): Observable<unknown> {
  const offline$ = pageEvents('offline');
  return page.navigator?.onLine === false ? offline$.pipe(startWith(0)) : offline$;
}

/**
 * Whether this is a page that a browser prerenders. The user has not opened it yet, and
 * may never do so.
 */
export function isPrerendering(): boolean {
  return page.document?.prerendering === true;
}

/** Completes when a prerendered page is shown. */
export function whenShown(): Observable<never> {
  return pageEvents('prerenderingchange').pipe(take(1), ignoreElements());
}

/** Whether this is a page. Only pages are hidden, frozen and kept in a cache. */
export function isPage(): boolean {
  return page.document?.visibilityState !== undefined && page.addEventListener !== undefined;
}

/**
 * Emits the events of these types of a page and its document, before any other listener can stop
 * them. Outside of a page it never emits.
 */
export function pageEvents(...types: readonly string[]): Observable<PageEvent> {
  if (!isPage()) return NEVER;
  return new Observable(subscriber => {
    const onEvent = (event: PageEvent) => subscriber.next(event);
    for (const type of types) page.addEventListener?.(type, onEvent, CAPTURE);
    return () => {
      for (const type of types) page.removeEventListener?.(type, onEvent, CAPTURE);
    };
  });
}

/** Events of the document pass the window only on their way down. */
const CAPTURE = { capture: true };

/** An event of a page. */
export interface PageEvent {
  readonly type: string;
  /**
   * For `pageshow`, whether the page comes out of the back/forward cache. For `pagehide`, whether
   * it may go into it.
   */
  readonly persisted?: boolean;
}

/** The parts of the global object that a page has, so that these types do not depend on the DOM. */
interface Page {
  readonly document?: { readonly visibilityState?: string; readonly prerendering?: boolean };
  readonly navigator?: { readonly onLine?: boolean };
  readonly addEventListener?: Listening;
  readonly removeEventListener?: Listening;
}
type Listening = (type: string, listener: (event: PageEvent) => void, options: { capture: boolean }) => void;

const page = globalThis as Page;
