import { isPlatformServer } from '@angular/common';
import { inject, PendingTasks, PLATFORM_ID, REQUEST } from '@angular/core';
import {
  catchError,
  defer,
  EMPTY,
  finalize,
  fromEvent,
  map,
  merge,
  of,
  startWith,
  takeUntil,
  timer,
  toArray,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { ROSTER_DEFAULTS, type Client } from '../../client/index.js';
import type { GroupMemberList } from '../../protocol/index.js';
import { connecting } from '../../stream/index.js';
import type { RosterState } from '../views/index.js';

/**
 * The visit for which a server renders a page. The page is rendered once, and does not show what
 * happens later. So its client `renders`, and polls nothing. `injectRoster` reads the pages of a
 * group once. When the visit has ended, the application is destroyed.
 */
export interface ServerVisit {
  /** The state of a group until its members are known. Rendering waits for that. */
  readonly readOnce: (client: Client, group_id: string, count?: number) => Observable<RosterState>;
  /**
   * Emits once nobody waits for the page, since the visitor has left or the page has taken too
   * long. Angular rejects its answer then, but would keep the application until it is stable.
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
    readOnce: ({ group }, group_id, count = ROSTER_DEFAULTS.count) =>
      defer(() => {
        const status = connecting(scheduler.now());
        return group.memberPages(group_id, { count, backoff: {} }).pipe(
          toArray(),
          map(pages => rosterOf(pages, scheduler.now())),
          catchError((error: unknown) => of({ status: { ...status, state: 'closed', error } as const })),
          startWith({ status }),
          takeUntil(timer(PATIENCE_MS, scheduler)),
          finalize(tasks.add()),
        );
      }),
    ended$: merge(visitorLeft(), timer(renderTimeout, scheduler)),
  };
}

/** The state of a group whose pages have just been read. */
function rosterOf(pages: readonly GroupMemberList[], now: number): RosterState {
  const members = pages.flatMap(page => page.members);
  const malformed = pages.flatMap(page => page.malformed ?? []);
  return {
    status: { ...connecting(now, now), state: 'live' },
    members: new Map(members.map(member => [member.identity.identity_id, member])),
    ...(malformed.length > 0 && { malformed }),
  };
}

function visitorLeft(): Observable<unknown> {
  // Absent in a browser's test of a server, and while pages are prerendered.
  const request = inject(REQUEST, { optional: true }) as { readonly signal?: AbortSignalLike } | null;
  const signal = request?.signal;
  if (!signal) return EMPTY;
  return signal.aborted ? of(0) : fromEvent(signal, 'abort');
}
