import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  interval,
  map,
  of,
  startWith,
  Subject,
  switchMap,
  takeUntil,
  type Observable,
} from 'rxjs';
import { isDeepStrictEqual } from 'node:util';
import type { GateLogEntry } from './gate-log-entry.js';
import type { GateSettings } from './lobby-gate-config.js';
import type { GatePlaces } from './places.js';
import { closeOf } from './upgrade/index.js';

// Public types: nothing here may import the types of ws, not even through another file; see lobby-socket.ts.

/** The figures of a gate. Those that only grow count from when `lobbyGate` was called. */
export interface GateStats {
  /** Players who are in, and connected. */
  readonly open: number;
  /** Players who are in, and may come back. */
  readonly away: number;
  /** Open sockets whose first message, with the token, has yet to come. */
  readonly waiting: number;
  /** Tokens that are being confirmed. */
  readonly pending: number;
  /** Tokens for which the service's answer was lost, until the player has come again or their slot has been freed. */
  readonly held: number;
  /** How many players have been admitted so far. */
  readonly admitted: number;
  /** How many slots `freeSlot` has freed so far. */
  readonly freed: number;
  /** How many slots it could not free so far: the service may still count these players. */
  readonly notFreed: number;
  /** How many calls of other hooks have failed so far. */
  readonly hookFailures: number;
  /** How many clients have been refused so far, by reason. There are at most 64 reasons; `other` counts the rest. */
  readonly refused: Readonly<Record<string, number>>;
}

const MAX_REASONS = 64;
const INTERVAL = 1_000;

/** Counts what a gate logs. */
export interface GateCounter {
  readonly count: (entry: GateLogEntry) => void;
  readonly stats: () => GateStats;
  readonly stats$: Observable<GateStats>;
}

export function createGateCounter(
  { server, scheduler }: Pick<GateSettings, 'server' | 'scheduler'>,
  { waiting, pending, held }: GatePlaces,
): GateCounter {
  const counts = { open: 0, away: 0, admitted: 0, freed: 0, notFreed: 0, hookFailures: 0 };
  const refused = new Map<string, number>();
  const counted$ = new Subject<void>();

  const count = (entry: GateLogEntry) => {
    switch (entry.kind) {
      case 'admitted':
        counts.admitted++;
        counts.open++;
        break;
      case 'away':
        counts.open--;
        counts.away++;
        break;
      case 'returned':
        counts.away--;
        counts.open++;
        break;
      case 'gone':
        if (entry.wasAway) counts.away--;
        // Without a code, they have never been in.
        else if (entry.code !== undefined) counts.open--;
        break;
      case 'freed':
        counts.freed++;
        break;
      case 'hook_failed':
        if (entry.hook === 'freeSlot') counts.notFreed++;
        else counts.hookFailures++;
        break;
      case 'refused': {
        const reason = refused.has(entry.reason) || refused.size < MAX_REASONS - 1 ? entry.reason : 'other';
        refused.set(reason, (refused.get(reason) ?? 0) + 1);
      }
    }
    counted$.next();
  };
  const stats = (): GateStats => ({
    ...{ ...counts, waiting: waiting.taken(), pending: pending.taken(), held: held.taken() },
    refused: Object.fromEntries(refused),
  });
  return {
    count,
    stats,
    stats$: defer(() => {
      // A server may say that it has closed before the last sockets do.
      const isEmpty$ = counted$.pipe(
        startWith(undefined),
        filter(() => counts.open === 0),
      );
      const closed$ = closeOf(server).pipe(switchMap(() => isEmpty$));
      const times$ = interval(INTERVAL, scheduler).pipe(startWith(0), takeUntil(closed$));
      return concat(times$, of(0)).pipe(map(stats), distinctUntilChanged<GateStats>(isDeepStrictEqual));
    }),
  };
}
