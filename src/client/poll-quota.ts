import { EMPTY, timer, type Observable } from 'rxjs';
import type { Clocks } from '../stream/index.js';

/** The service serves 1,920 polls from an address in windows of this length, in ms. */
const WINDOW = 900_000;

/** So many polls in a window are sent as fast as news comes. */
const FREE_POLLS = 1_500;

/** The others are spread over what is left of the window, which need not begin with that of the service. */
const POLLS = 1_900;

/**
 * A permit for the polls of one watch, so that it alone keeps within the quota of its address, however much news there is. Many
 * watches behind one address need a `permit` that they share.
 */
export function pollQuota({ scheduler, monotonic }: Clocks): () => Observable<unknown> {
  let windowFrom = -Infinity;
  let polls = 0;
  let lastAt = -Infinity;
  return () => {
    const now = monotonic.now();
    if (now - windowFrom >= WINDOW) {
      windowFrom = now;
      polls = 0;
    }
    const interval = (windowFrom + WINDOW - now) / Math.max(1, POLLS - polls);
    const wait = ++polls > FREE_POLLS ? Math.max(0, lastAt + interval - now) : 0;
    lastAt = now + wait;
    return wait > 0 ? timer(wait, scheduler) : EMPTY;
  };
}
