import { pace } from './pace.js';
import { toStatus } from './to-status.js';
import type { Turn } from './turn.js';
import type { WatchSettings } from './watch-settings.js';
import type { WatchState } from './watch-state.js';

/**
 * No answer, and no failure: poll on from the same index. `next` is the state that shows it; a proxy that cuts a long poll
 * says nothing of the service, and leaves the state as it is.
 */
export function settleNothing<A>(
  state: WatchState<A>,
  next: 'live' | 'retrying' | undefined,
  settings: WatchSettings<A>,
): Turn<A> {
  const now = settings.scheduler.now();
  const { wait, busyUntil } = pace(state.busyUntil, now, settings);
  const { attempt } = next === 'live' ? { attempt: 0 } : state.status;
  const { status, signals } = next
    ? toStatus(state.status, { state: next, attempt }, now)
    : { status: state.status, signals: [] };
  return { signals, state: { ...state, suspects: 0, busyUntil, status }, wait, why: 'nothing' };
}
