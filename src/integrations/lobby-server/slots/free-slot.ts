import {
  catchError,
  EMPTY,
  filter,
  finalize,
  merge,
  mergeMap,
  NEVER,
  Subject,
  takeUntil,
  tap,
  timer,
  type BehaviorSubject,
} from 'rxjs';
import { awaited, backoff, reportSlow } from '../../../stream/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { errorLine, type FreeSlotReason } from '../report/index.js';
import { SlotCalls } from './slot-calls.js';
import { completeIfFreed, lateConfirmation, slotOutcome } from './slot-outcome.js';

/** The longest wait between two calls for one slot, in ms. */
const MAX_BACKOFF_MS = 60_000;

/**
 * Frees the slot of a player by `freeSlot` of the config. Calls it again and again until the slot
 * is free or given up (see `slotOutcome`), `freeSlotTimeout` is over, or `isOverdue$` is true. Then
 * logs the outcome and calls `settled`.
 */
export type FreeSlot = (token: string, why: FreeSlotReason, settled: () => void) => void;

/** The settings of a gate that say how slots are freed. */
export type FreeSlotSettings = Pick<GateSettings, 'freeSlot' | 'freeSlotTimeout' | 'report' | 'scheduler'>;

export function createFreeSlot(settings: FreeSlotSettings, isOverdue$: BehaviorSubject<boolean>): FreeSlot {
  const { freeSlot, freeSlotTimeout, report, scheduler } = settings;
  const calls = new SlotCalls(scheduler);
  const overdue$ = isOverdue$.pipe(filter(isOverdue => isOverdue));
  const deadline$ = freeSlotTimeout === Infinity ? NEVER : timer(freeSlotTimeout, scheduler);
  let reported: string | undefined;
  /** During an outage, thousands of slots fail with the same error. */
  const reportOnce = (error: unknown, token: string) => {
    const line = errorLine(error, token);
    if (line !== reported) report.onRetrying(line);
    reported = line;
  };
  let isSlow = false;
  /** If the service hangs, thousands of calls are slow. One report is enough. */
  const onSlow = () => {
    if (!isSlow) report.onSlow('freeSlot');
    isSlow = true;
  };

  return (token, why, settled) => {
    if (!freeSlot) return settled();
    const mayStillConnect = why === 'unresolved' ? lateConfirmation(scheduler) : () => false;
    let attempts = 0;
    let lastError: unknown = new FreeSlotTimeoutError();
    const isCalled$ = new Subject<void>();
    const call = () => {
      // Calls that `isOverdue$` has ended have made room for this one.
      if (isOverdue$.value) return NEVER;
      attempts++;
      if (attempts === 1) isCalled$.next();
      return awaited('freeSlot', () => freeSlot(token, why)).pipe(reportSlow(onSlow, scheduler));
    };
    const shouldRetry = (error: unknown) => {
      const outcome = slotOutcome(error);
      // That the service does not count the player is final once it cannot count them later.
      if (outcome === 'give_up' || (outcome === 'freed' && !mayStillConnect())) return false;
      lastError = error;
      reportOnce(error, token);
      return true;
    };
    // The time begins with the first call, not while the slot waits for its turn.
    const tooLate$ = merge(overdue$, isCalled$.pipe(mergeMap(() => deadline$))).pipe(
      tap(() => report.onNotFreed(lastError, token)),
    );
    calls
      .run(call)
      .pipe(
        backoff({ max: MAX_BACKOFF_MS, shouldRetry, scheduler }),
        completeIfFreed,
        tap({
          complete: () => {
            reported = undefined;
            isSlow = false;
            report.onFreed(why, attempts);
          },
        }),
        catchError((error: unknown) => {
          report.onNotFreed(error, token);
          return EMPTY;
        }),
        takeUntil(tooLate$),
        finalize(settled),
      )
      .subscribe();
  };
}

class FreeSlotTimeoutError extends Error {
  override readonly name = 'FreeSlotTimeoutError';
}
