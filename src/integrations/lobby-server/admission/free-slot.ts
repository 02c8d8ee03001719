import {
  catchError,
  defer,
  EMPTY,
  finalize,
  mergeMap,
  Subject,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs';
import { toInput } from '../../../error/index.js';
import { backoff } from '../../../stream/index.js';
import { hookFailed } from '../gate-log-entry.js';
import type { GateSettings } from '../lobby-gate-config.js';

/** How many slots are freed at once. */
const MAX_AT_ONCE = 64;

/** How often `freeSlot` is called again after a failure that may pass. */
const RETRIES = 9;

/** How long it may take to free a slot, in ms, all attempts together. */
const DEADLINE = 300_000;

/**
 * Frees the slot of a player by `freeSlot` of the config: 64 at once, while the others wait. None is left out. Logs what became of it,
 * and calls `settled`: once the slot is free, or all has been tried.
 */
export type FreeSlot = (token: string, why: 'gone' | 'unknown', settled: () => void) => void;

export function createFreeSlot({ freeSlot, log, scheduler }: GateSettings): FreeSlot {
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
    const failed = (error: unknown) => log(hookFailed('freeSlot', error, scheduler.now(), token));
    const tooLate$ = timer(DEADLINE, scheduler).pipe(tap(() => failed(new FreeSlotTimeoutError())));
    calls$.next(
      call$.pipe(
        backoff({ retries: RETRIES, scheduler }),
        tap({ complete: () => log({ kind: 'freed', at: scheduler.now(), why, attempts }) }),
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
