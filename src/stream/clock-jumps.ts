import { asyncScheduler, filter, interval, map, Observable, share, type SchedulerLike } from 'rxjs';
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

/** A process that has used more than this share of the lost time was busy, not asleep. */
const BUSY_SHARE = 0.25;

/** What tells a busy process and a hidden page from one that slept. Neither exists everywhere. */
interface Platform {
  readonly process: { cpuUsage?(): { readonly user: number; readonly system: number } };
  readonly document: { readonly visibilityState?: string };
}

/** One detector for all watches with the same clock and options: many of them cost no more than one. */
const detectors = new WeakMap<SchedulerLike, Map<string, Observable<number>>>();

/**
 * Emits when the clock has jumped ahead, with the lost time in ms: the machine slept or the process was frozen, and
 * connections that look open may be dead. Use it as the `wake$` of a watch; a client's watches do so by default. It never
 * completes. All subscribers with the same clock and options share one timer.
 *
 * A process that was busy is not one that slept: in Node the CPU time tells. In a hidden page the timers of the browser are
 * slow, which is no jump either.
 *
 * Throws an `InputError` if the config is invalid.
 *
 * @example
 * watch(poll, { wake$: clockJumps() });
 */
export function clockJumps(config: ClockJumpsConfig = {}): Observable<number> {
  checkOptions(config, OPTIONS);
  const { every = 5_000, tolerance = 5_000, scheduler = asyncScheduler } = config;
  const key = `${every} ${tolerance}`;
  const known = detectors.get(scheduler) ?? new Map<string, Observable<number>>();
  detectors.set(scheduler, known);
  const detector = known.get(key) ?? detect(every, tolerance, scheduler).pipe(share());
  known.set(key, detector);
  return detector;
}

function detect(every: number, tolerance: number, scheduler: SchedulerLike): Observable<number> {
  return new Observable(subscriber => {
    let last = sample(scheduler);
    return interval(every, scheduler)
      .pipe(
        map(() => {
          const before = last;
          last = sample(scheduler);
          const lost = last.at - before.at - every;
          // It may have been busy in the interval itself, and asleep after it.
          const wasBusy = last.cpu - before.cpu - every > lost * BUSY_SHARE;
          return wasBusy || before.isHidden || last.isHidden ? 0 : lost;
        }),
        filter(lost => lost > tolerance),
      )
      .subscribe(subscriber);
  });
}

function sample(scheduler: SchedulerLike) {
  const usage = (globalThis as Partial<Platform>).process?.cpuUsage?.();
  const isHidden = (globalThis as Partial<Platform>).document?.visibilityState === 'hidden';
  return { at: scheduler.now(), cpu: usage ? (usage.user + usage.system) / 1_000 : 0, isHidden };
}
