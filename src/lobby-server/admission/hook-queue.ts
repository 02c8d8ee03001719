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
import { toInput } from '../../error/index.js';
import { hookFailed } from '../gate-log-entry.js';
import type { GateSettings } from '../gate-settings.js';

/** Calls the hooks that free slots: so many at once as the config allows, while the others wait. None is left out. */
export interface HookQueue {
  /** Calls a hook and subscribes to what it returns. Calls `ended` once that has completed, failed, or taken too long. */
  readonly run: (hook: 'onGone' | 'onUnknown', token: string, ended: () => void) => void;
}

export function createHookQueue(settings: GateSettings): HookQueue {
  const { hookDeadline, log, maxHooks, scheduler } = settings;
  const calls$ = new Subject<Observable<unknown>>();
  // Never unsubscribed from: players leave, and their slots have to be freed, after the gate has been unsubscribed from.
  calls$.pipe(mergeMap(call => call, maxHooks)).subscribe();

  return {
    run: (hook, token, ended) => {
      const failed = (error: unknown) => log(hookFailed(hook, error, scheduler.now(), token));
      const tooLate$ = timer(hookDeadline, scheduler).pipe(tap(() => failed(new HookTimeoutError())));
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
    },
  };
}

class HookTimeoutError extends Error {
  override readonly name = 'HookTimeoutError';
}
