import { asyncScheduler, defer, filter, interval, map, type Observable, type SchedulerLike } from 'rxjs';
import { checkOptions, milliseconds, schedulerLike, type Options } from '../error/index.js';

/** The options of {@link clockJumps}. */
export interface ClockJumpsConfig {
  /** How often to check the clock, in ms. Default 5,000. */
  readonly every?: number;
  /** How late a check must be to count as a jump, in ms. Default 5,000. */
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
 * Emits when the clock has jumped ahead, with the lost time in ms: the machine slept or the process was frozen, and
 * connections that look open may be dead. Use it as the `wake$` of a watch; a client's watches do so by default. Cold; it
 * never completes.
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
