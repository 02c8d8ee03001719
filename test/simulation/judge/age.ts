import type { Moment } from '../world/clocks.js';

/** An index may be used until it is this old, in ms: the service keeps events for 300 s. */
export const MAX_AGE = 297_000;

/** At the very moment both is right. */
export const TOLERANCE = 50;

/** The clocks differ by this, in ms, if the machine slept, or a clock was set. */
const SLEPT = 1_000;

/** The law's age, in ms: the larger one of two clocks. */
export function ageOf(since: Moment | undefined, { monotonic, wall }: Moment): number {
  return since ? Math.max(monotonic - since.monotonic, wall - since.wall) : 0;
}

/** When the service said what comes now: what came during a sleep may have been said before it. */
export function saidBefore(poll: Moment, now: Moment): Moment {
  return now.wall - poll.wall - (now.monotonic - poll.monotonic) > SLEPT ? poll : now;
}

/**
 * So long, in ms, the service must have held a poll for the end of it to be its word. While the
 * client sleeps, its clock stands still.
 */
const HELD = 2_000;

/**
 * When the service last said something if it gave up a poll now; undefined if that may have been
 * anything.
 */
export function gaveUpAt(poll: Moment, now: Moment): Moment | undefined {
  return now.monotonic - poll.monotonic < HELD ? undefined : saidBefore(poll, now);
}
