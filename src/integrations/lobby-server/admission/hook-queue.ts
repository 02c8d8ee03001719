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
import { hookFailed } from '../gate-log-entry.js';
import type { GateSettings } from '../lobby-gate-config.js';

/** How many calls may run at once. */
const MAX_CALLS = 64;

/** How long a call may run, in ms, until it is unsubscribed from. */
const DEADLINE = 300_000;

/**
 * Calls a hook that frees a slot and subscribes to what it returns: 64 at once, while the others wait. None is left out. Calls
 * `ended` once that has completed, failed, or taken too long.
 */
export type RunHook = (hook: 'onGone' | 'onUnknown', token: string, ended: () => void) => void;

export function createHookQueue(settings: GateSettings): RunHook {
  const { log, scheduler } = settings;
  const calls$ = new Subject<Observable<unknown>>();
  // Never unsubscribed from: players leave, and their slots have to be freed, after the gate has been unsubscribed from.
  calls$.pipe(mergeMap(call => call, MAX_CALLS)).subscribe();

  return (hook, token, ended) => {
    const failed = (error: unknown) => log(hookFailed(hook, error, scheduler.now(), token));
    const tooLate$ = timer(DEADLINE, scheduler).pipe(tap(() => failed(new HookTimeoutError())));
    calls$.next(
      defer(() => toInput(settings[hook](token))).pipe(
        catchError((error: unknown) => {
          failed(error);
          return EMPTY;
        }),
        finalize(ended),
        takeUntil(tooLate$),
      ),
    );
  };
}

class HookTimeoutError extends Error {
  override readonly name = 'HookTimeoutError';
}
