import { isPlatformServer } from '@angular/common';
import { inject, PendingTasks, PLATFORM_ID, REQUEST } from '@angular/core';
import {
  defer,
  EMPTY,
  finalize,
  fromEvent,
  merge,
  of,
  takeUntil,
  takeWhile,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { RosterState } from '../views/index.js';

/**
 * The visit for which a server renders a page. The page is rendered once, and does not show what
 * happens later. So on a server
 *
 * - `injectFeed` does not follow the feed, which is not polled then,
 * - `injectRoster` reads a group once,
 * - a poll does not linger after its last subscriber,
 * - the client is closed when the visit has ended.
 */
export interface ServerVisit {
  /** The state of a group until its members are known. Rendering waits for that. */
  readonly readOnce: (roster$: Observable<RosterState>) => Observable<RosterState>;
  /**
   * Emits once nobody waits for the page, since the visitor has left or the page has taken too
   * long. Angular rejects its answer then, and keeps the application until it is stable.
   */
  readonly ended$: Observable<unknown>;
}

/** How long a server waits for a group, in ms. After that, the browser asks again. */
const PATIENCE_MS = 2_000;

/** The part of the platform's class that is used. */
interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Injects the visit on a server. `undefined` in a browser. */
export function injectServerVisit(renderTimeout: number, scheduler: SchedulerLike): ServerVisit | undefined {
  if (!isPlatformServer(inject(PLATFORM_ID))) return undefined;
  const tasks = inject(PendingTasks);
  return {
    readOnce: roster$ =>
      defer(() =>
        roster$.pipe(
          takeWhile(({ members, status }) => !members && status.state !== 'closed', true),
          takeUntil(timer(PATIENCE_MS, scheduler)),
          finalize(tasks.add()),
        ),
      ),
    ended$: merge(visitorLeft(), timer(renderTimeout, scheduler)),
  };
}

function visitorLeft(): Observable<unknown> {
  // Absent in a browser's test of a server, and while pages are prerendered.
  const request = inject(REQUEST, { optional: true }) as { readonly signal?: AbortSignalLike } | null;
  const signal = request?.signal;
  if (!signal) return EMPTY;
  return signal.aborted ? of(0) : fromEvent(signal, 'abort');
}
