import {
  catchError,
  defer,
  EMPTY,
  finalize,
  merge,
  mergeMap,
  Subject,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import { toInput } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import type { GateSettings } from '../lobby-gate-config.js';

/** How many slots are freed at once. */
const MAX_AT_ONCE = 64;

/** How often `freeSlot` is called again after a failure that may pass. */
export const RETRIES = 9;

/** How long it may take to free a slot, in ms, all attempts together. */
const DEADLINE_MS = 300_000;

/**
 * Frees the slot of a player by `freeSlot` of the config: 64 at once, while the others wait. None is left out. Logs what became of it,
 * and calls `settled`: once the slot is free, or all has been tried, or `overdue$` has emitted.
 */
export type FreeSlot = (token: string, why: 'left' | 'unresolved', settled: () => void) => void;

export function createFreeSlot(
  { freeSlot, report, scheduler }: GateSettings,
  overdue$: Observable<unknown>,
): FreeSlot {
  const calls$ = new Subject<Observable<unknown>>();
  // Never unsubscribed from: players leave, and their slots have to be freed, after the gate has been unsubscribed from.
  calls$.pipe(mergeMap(call => call, MAX_AT_ONCE)).subscribe();

  return (token, why, settled) => {
    if (!freeSlot) return settled();
    let attempts = 0;
    const call$ = defer(() => {
      attempts++;
      return toInput(freeSlot(token, why));
    });
    const failed = (error: unknown) => report.onNotFreed(error, token);
    const tooLate$ = merge(overdue$, timer(DEADLINE_MS, scheduler)).pipe(
      tap(() => failed(new FreeSlotTimeoutError())),
    );
    calls$.next(
      call$.pipe(
        backoff({ retries: RETRIES, scheduler }),
        tap({ complete: () => report.onFreed(why, attempts) }),
        catchError((error: unknown) => {
          failed(error);
          return EMPTY;
        }),
        takeUntil(tooLate$),
        finalize(settled),
      ),
    );
  };
}

class FreeSlotTimeoutError extends Error {
  override readonly name = 'FreeSlotTimeoutError';
}
