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
import { closeOf } from './allow-listener.js';

// Public types: nothing here may import the types of ws, not even through another file; see lobby-socket.ts.

/** The figures of a gate. Those that only grow count from when `lobbyGate` was called. */
export interface GateStats {
  /** Players who are in. */
  readonly open: number;
  /** Open sockets whose first message, with the token, has yet to come. */
  readonly waiting: number;
  /** Tokens that are being confirmed. */
  readonly checking: number;
  /** Tokens for which the service's answer was lost, until the player has come again or `onUnknown` has ended. */
  readonly held: number;
  /** How many players have been admitted so far. */
  readonly admitted: number;
  /** How many calls of hooks have failed so far. */
  readonly hookFailures: number;
  /** How many clients have been refused so far, by reason. There are at most 64 reasons; `other` counts the rest. */
  readonly refused: Readonly<Record<string, number>>;
}

const MAX_REASONS = 64;
const INTERVAL = 1_000;

/** Counts what a gate logs. */
export interface GateCounter {
  readonly count: (entry: GateLogEntry) => void;
  readonly stats$: Observable<GateStats>;
}

export function createGateCounter(
  { server, scheduler }: Pick<GateSettings, 'server' | 'scheduler'>,
  {
    waiting,
    checking,
    held,
  }: Readonly<Record<'waiting' | 'checking' | 'held', { readonly taken: () => number }>>,
): GateCounter {
  let [open, admitted, hookFailures] = [0, 0, 0];
  const refused = new Map<string, number>();
  const counted$ = new Subject<void>();

  const count = (entry: GateLogEntry) => {
    if (entry.kind === 'admitted') {
      admitted++;
      open++;
    } else if (entry.kind === 'gone') {
      // Without a code, they had left before they were in.
      if (entry.code !== undefined) open--;
    } else if (entry.kind === 'hook_failed') {
      hookFailures++;
    } else if (entry.kind === 'refused') {
      // The service may have any number of reasons.
      const reason = refused.has(entry.reason) || refused.size < MAX_REASONS - 1 ? entry.reason : 'other';
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    }
    counted$.next();
  };
  const stats = (): GateStats => ({
    ...{ open, waiting: waiting.taken(), checking: checking.taken(), held: held.taken() },
    ...{ admitted, hookFailures, refused: Object.fromEntries(refused) },
  });
  return {
    count,
    stats$: defer(() => {
      // A server may say that it has closed before the last sockets do.
      const isEmpty$ = counted$.pipe(
        startWith(undefined),
        filter(() => open === 0),
      );
      const closed$ = closeOf(server).pipe(switchMap(() => isEmpty$));
      const times$ = interval(INTERVAL, scheduler).pipe(startWith(0), takeUntil(closed$));
      return concat(times$, of(0)).pipe(map(stats), distinctUntilChanged<GateStats>(isDeepStrictEqual));
    }),
  };
}
