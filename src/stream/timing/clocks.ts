import { asyncScheduler, type SchedulerLike, type TimestampProvider } from 'rxjs';
import { aFunction, clock, type Options } from '../../error/index.js';

/** What a test sets besides the scheduler, so that what it sees is the same each time. */
export interface TestingConfig {
  /** Returns a random number from 0 to 1, excluding 1, for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /**
   * A clock that is never set back, in ms, for durations. Default `performance`; with another
   * scheduler, that scheduler.
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
  /** Since 1970. */
  readonly at: number;
  /** Since any moment. */
  readonly monotonic: number;
}

/** This moment. */
export function instant({ scheduler, monotonic }: Clocks): Instant {
  return { at: scheduler.now(), monotonic: monotonic.now() };
}

/** A moment of which only the wall clock is known. */
export function instantAt(at: number, now: Instant): Instant {
  return { at, monotonic: now.monotonic - (now.at - at) };
}

/** How long ago something happened, in ms: the larger of what the clocks say. */
export function ageOf(since: Instant, now: Instant): number {
  return Math.max(now.at - since.at, now.monotonic - since.monotonic);
}

/**
 * How far the wall clock has run ahead of the monotonic one since then, in ms: the machine slept,
 * or the clock was set.
 */
export function aheadSince(since: Instant, now: Instant): number {
  return now.at - since.at - (now.monotonic - since.monotonic);
}

/** The clocks differ by less than this unless the machine slept or a clock was set, in ms. */
const SLEPT_MS = 1_000;

/**
 * Whether the machine slept, as far as the clocks show. To be wrong costs little here: a new
 * connection, or an older index.
 */
export function hasSlept(since: Instant, now: Instant): boolean {
  return aheadSince(since, now) > SLEPT_MS;
}

declare const performance: TimestampProvider;

/**
 * `TestScheduler.run` makes the time of `asyncScheduler` virtual, but not that of `performance`.
 */
const realClock: TimestampProvider = {
  now: () => {
    const now = asyncScheduler.now();
    return Math.abs(now - Date.now()) > 1_000 ? now : performance.now();
  },
};

/** The monotonic clock that belongs to a scheduler: in virtual time it is the scheduler's own. */
export function monotonicClock(scheduler: SchedulerLike): TimestampProvider {
  return isRealTime(scheduler) ? realClock : scheduler;
}

/**
 * A scheduler that is derived from `asyncScheduler`, such as one that keeps its timers out of
 * Angular's zone, is real, too.
 */
export function isRealTime(scheduler: SchedulerLike): boolean {
  return scheduler === asyncScheduler || Object.prototype.isPrototypeOf.call(asyncScheduler, scheduler);
}

/** How old an index may become until it is expired, in ms: answers take a moment to arrive. */
export function ageLimit(retention: number): number {
  return retention * 0.99;
}

/**
 * What is sent within this time, in ms, after a word of the service misses nothing: events are kept
 * much longer.
 */
export function margin(retention: number): number {
  return Math.min(retention, MAX_MARGIN_MS) * 0.01;
}

/** A margin of one per cent of this is enough for a service that forgets nothing, in ms. */
const MAX_MARGIN_MS = 86_400_000;
