import { catchError, defer, EMPTY } from 'rxjs';
import { toInput } from '../stream/index.js';
import { errorText } from './error-text.js';
import type { GateSettings } from './gate-settings.js';

/** Calls a hook that is told a token, and subscribes to what it returns; that it fails is told to the log alone. */
export function runHook(
  name: 'onGone' | 'onUnknown',
  token: string,
  { log, scheduler, ...settings }: GateSettings,
): void {
  defer(() => toInput(settings[name](token)))
    .pipe(
      catchError((error: unknown) => {
        log({ kind: 'hook_failed', at: scheduler.now(), hook: name, error: errorText(error) });
        return EMPTY;
      }),
    )
    .subscribe();
}
