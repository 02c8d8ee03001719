import { asyncScheduler, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { aFunction, clock, type Options } from '../../error/index.js';

/**
 * The sources that a test sets besides the scheduler, so that its results are the same each time.
 */
export interface TestingConfig {
  /** Returns a random number from 0 to 1, excluding 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /**
   * A clock that is never set back, in ms, for durations. Default `performance`. With another
   * scheduler, the default is that scheduler.
   */
  readonly monotonic?: TimestampProvider;
}

/** A check for each option of {@link TestingConfig}. */
export const TESTING_OPTIONS: Options<TestingConfig> = { random: aFunction, monotonic: clock };

/** The two clocks that a duration is measured with. */
export interface Clocks {
  /** Its clock shows the time of day, which may be set. Timers run on it. */
  readonly scheduler: SchedulerLike;
  /** A clock that is never set back, in ms. While the machine sleeps, it may stand still. */
  readonly monotonic: TimestampProvider;
}

/** When something happened, on both clocks, in ms. */
export interface Instant {
  /** On the wall clock, since 1970. */
  readonly at: number;
  /** On the monotonic clock, since any moment. */
  readonly monotonic: number;
}

/** The current moment. */
export function instant({ scheduler, monotonic }: Clocks): Instant {
  return { at: scheduler.now(), monotonic: monotonic.now() };
}

/** A moment of which only the wall clock is known. */
export function instantAt(at: number, now: Instant): Instant {
  return { at, monotonic: now.monotonic - (now.at - at) };
}

/** How long ago something happened, in ms: the larger of the two clocks' differences. */
export function ageOf(since: Instant, now: Instant): number {
  return Math.max(now.at - since.at, now.monotonic - since.monotonic);
}

/**
 * How far the wall clock has run ahead of the monotonic one since then, in ms. It runs ahead if the
 * machine slept or the clock was set.
 */
export function aheadSince(since: Instant, now: Instant): number {
  return now.at - since.at - (now.monotonic - since.monotonic);
}

/** The clocks differ by less than this, in ms, unless the machine slept or a clock was set. */
const SLEPT_MS = 1_000;

/**
 * Whether the machine slept, as far as the clocks show. A mistake costs little here: a new
 * connection, or an older index.
 */
export function hasSlept(since: Instant, now: Instant): boolean {
  return aheadSince(since, now) > SLEPT_MS;
}

declare const performance: TimestampProvider;

/**
 * The clock for real time. `TestScheduler.run` makes the time of `asyncScheduler` virtual, but not
 * that of `performance`.
 */
const realClock: TimestampProvider = {
  now: () => {
    const now = asyncScheduler.now();
    return Math.abs(now - Date.now()) > 1_000 ? now : performance.now();
  },
};

/**
 * The monotonic clock that belongs to a scheduler. In virtual time, that is the scheduler itself.
 */
export function monotonicClock(scheduler: SchedulerLike): TimestampProvider {
  return isRealTime(scheduler) ? realClock : scheduler;
}

/**
 * Whether a scheduler runs in real time. That includes schedulers derived from `asyncScheduler`,
 * such as one that keeps its timers out of Angular's zone.
 */
export function isRealTime(scheduler: SchedulerLike): boolean {
  return scheduler === asyncScheduler || Object.prototype.isPrototypeOf.call(asyncScheduler, scheduler);
}

/**
 * The age at which an index expires, in ms. It is less than `retention`, since answers take a
 * moment to arrive.
 */
export function ageLimit(retention: number): number {
  return retention * 0.99;
}

/**
 * A poll that is sent within this time, in ms, after an answer misses nothing, since events are
 * kept much longer.
 */
export function margin(retention: number): number {
  return Math.min(retention, MAX_MARGIN_MS) * 0.01;
}

/** For a service that forgets nothing, a margin of one per cent of this, in ms, is enough. */
const MAX_MARGIN_MS = 86_400_000;
