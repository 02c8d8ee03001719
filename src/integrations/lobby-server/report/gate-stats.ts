import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  map,
  of,
  repeat,
  startWith,
  switchMap,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs';
import { isDeepStrictEqual } from 'node:util';
import type { GateLimits } from '../limits/index.js';
import type { GateReport } from './gate-report.js';

// Public types. Nothing here may import the types of ws, not even through another file (see
// player-socket.ts).

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
  /**
   * Tokens for which the service's answer was lost, until the player has come again or their slot
   * has been freed.
   */
  readonly unresolved: number;
  /** How many players have been admitted so far. */
  readonly admitted: number;
  /** How many slots `freeSlot` has freed so far. */
  readonly freed: number;
  /** How many slots it could not free so far. The service may still count these players. */
  readonly notFreed: number;
  /** How many calls of other hooks have failed so far. */
  readonly hookFailures: number;
  /**
   * How many clients have been refused so far, by reason. At most 64 reasons are counted one by
   * one. `other` counts the rest.
   */
  readonly refused: Readonly<Record<string, number>>;
}

const INTERVAL_MS = 1_000;

/** The players that are counted. */
interface CountedPlayers {
  count(): Pick<GateStats, 'open' | 'away'>;
  /** Emits after a player has left. */
  readonly left$: Observable<unknown>;
}

/** The objects that the figures are read from. */
interface GateParts {
  readonly report: GateReport;
  readonly limits: GateLimits;
  readonly players: CountedPlayers;
}

/** The figures of a gate at this moment. */
function gateStats({ report, limits, players }: GateParts): GateStats {
  const { open, away } = players.count();
  const { admitted, freed, notFreed, hookFailures, refusals } = report;
  const { waiting, pending, unresolved } = limits;
  return {
    open,
    away,
    admitted,
    freed,
    notFreed,
    hookFailures,
    waiting: waiting.used(),
    pending: pending.used(),
    unresolved: unresolved.used(),
    refused: Object.fromEntries(refusals),
  };
}

/**
 * The figures now, and once a second if they have changed. Completes when the server has closed,
 * and the last player has left.
 */
export function gateStatsOf(parts: GateParts, serverClosed$: Observable<unknown>): Observable<GateStats> {
  const { report, players } = parts;
  return defer(() => {
    // A server may say that it has closed before the last sockets do.
    const isEmpty$ = players.left$.pipe(
      startWith(undefined),
      filter(() => players.count().open === 0),
    );
    const closed$ = serverClosed$.pipe(switchMap(() => isEmpty$));
    const times$ = timer(INTERVAL_MS, report.scheduler).pipe(repeat(), startWith(0), takeUntil(closed$));
    return concat(times$, of(0)).pipe(
      map(() => gateStats(parts)),
      distinctUntilChanged<GateStats>(isDeepStrictEqual),
    );
  });
}
