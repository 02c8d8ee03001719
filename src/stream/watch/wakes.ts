import { defer, from, type Subscription } from 'rxjs';
import type { WatchSettings } from './watch-config.js';

/** Wakes within this time, in ms, count as one: going online and becoming visible often coincide. */
const WAKE_THROTTLE = 1_000;

/** Calls `onWake` when the machine is back. A wake source that fails or completes does not end the watch. */
export function followWakes(
  { wake$, scheduler }: Pick<WatchSettings<never>, 'wake$' | 'scheduler'>,
  onWake: () => void,
): Subscription {
  let lastWake = -Infinity;
  const next = () => {
    // Less than nothing if the clock was set back.
    const since = scheduler.now() - lastWake;
    if (since >= 0 && since < WAKE_THROTTLE) return;
    lastWake = scheduler.now();
    onWake();
  };
  return defer(() => from(wake$)).subscribe({ next, error: () => undefined });
}
