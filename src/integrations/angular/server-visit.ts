import { inject, REQUEST } from '@angular/core';
import { fromEvent, merge, of, timer, type Observable, type SchedulerLike } from 'rxjs';

/** The part of the platform's class that is used. */
interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Emits once nobody waits for the page that a server renders, since the visitor has left or the
 * page has taken too long. Angular rejects its answer then, and keeps the application until it is
 * stable.
 */
export function serverVisitEnded(renderTimeout: number, scheduler: SchedulerLike): Observable<unknown> {
  // Absent in a browser's test of a server, and while pages are prerendered.
  const request = inject(REQUEST, { optional: true }) as { readonly signal?: AbortSignalLike } | null;
  const timeout$ = timer(renderTimeout, scheduler);
  const signal = request?.signal;
  if (!signal) return timeout$;
  return merge(signal.aborted ? of(0) : fromEvent(signal, 'abort'), timeout$);
}
