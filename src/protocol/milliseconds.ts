import { fromGuard } from './from-guard.js';

/** The longest wait that timers take; they turn what is longer, `Infinity` too, into no wait at all. */
const LONGEST = 2 ** 31 - 1;

/** A span of time as an argument. */
export const milliseconds = fromGuard(
  `a number of milliseconds from 0 to ${LONGEST}`,
  (u): u is number => typeof u === 'number' && u >= 0 && u <= LONGEST,
);
