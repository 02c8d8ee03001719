import { catchError, defer, EMPTY, from, type ObservableInput } from 'rxjs';
import type { GateSettings } from './gate-settings.js';

/** Calls a hook that is told a token, and subscribes to what it returns; that it fails is told to the log alone. */
export function runHook(
  name: 'onGone' | 'onUnknown',
  token: string,
  { log, scheduler, ...settings }: GateSettings,
): void {
  const hook = settings[name];
  if (!hook) return;
  defer(() => {
    const returned = hook(token) as ObservableInput<unknown> | undefined;
    return typeof returned === 'object' ? from(returned) : EMPTY;
  })
    .pipe(
      catchError((error: unknown) => {
        log({ kind: 'hook_failed', at: scheduler.now(), hook: name, error });
        return EMPTY;
      }),
    )
    .subscribe();
}
