import { concat, ignoreElements, timer } from 'rxjs';
import type { Clocks, SinglePoll } from '../stream/index.js';

/** The service serves 1,920 polls from an address in windows of this length, in ms. */
const WINDOW = 900_000;

/** So many polls in a window are sent as fast as news comes. */
const FREE_POLLS = 1_500;

/** The others are spread over what is left of the window, which need not begin with that of the service. */
const POLLS = 1_900;

/** The polls of one watch, within the rate limit of the service, however much news there is. */
export function withinQuota<A>(poll: SinglePoll<A>, { scheduler, monotonic }: Clocks): SinglePoll<A> {
  let windowFrom = -Infinity;
  let polls = 0;
  let lastAt = -Infinity;
  return (index, context) => {
    const now = monotonic.now();
    if (now - windowFrom >= WINDOW) {
      windowFrom = now;
      polls = 0;
    }
    const interval = (windowFrom + WINDOW - now) / Math.max(1, POLLS - polls);
    const wait = ++polls > FREE_POLLS ? Math.max(0, lastAt + interval - now) : 0;
    lastAt = now + wait;
    const answer$ = poll(index, context);
    return wait > 0 ? concat(timer(wait, scheduler).pipe(ignoreElements()), answer$) : answer$;
  };
}
