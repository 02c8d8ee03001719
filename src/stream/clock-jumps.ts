import { asyncScheduler, defer, filter, interval, map, type Observable, type SchedulerLike } from 'rxjs';
import { checkOptions, milliseconds, schedulerLike, type Options } from '../error/index.js';

/** How {@link clockJumps} looks at the clock. */
export interface ClockJumpsConfig {
  /** How often, in ms. Default 5,000. */
  readonly every?: number;
  /** How much later than that is a jump, in ms. Default 5,000. */
  readonly tolerance?: number;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

const OPTIONS: Options<ClockJumpsConfig> = {
  every: milliseconds,
  tolerance: milliseconds,
  scheduler: schedulerLike,
};

/**
 * Emits the ms that were lost whenever more time has passed than should have: the machine slept or the process was frozen,
 * and connections that look open are dead. A `wake$` for any watch; a client's watches have it by default. Cold; it never
 * completes.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch(poll, { wake$: clockJumps() });
 */
export function clockJumps(config: ClockJumpsConfig = {}): Observable<number> {
  checkOptions(config, OPTIONS);
  const { every = 5_000, tolerance = 5_000, scheduler = asyncScheduler } = config;
  return defer(() => {
    let last = scheduler.now();
    return interval(every, scheduler).pipe(
      map(() => {
        const lost = scheduler.now() - last - every;
        last = scheduler.now();
        return lost;
      }),
      filter(lost => lost > tolerance),
    );
  });
}
