/**
 * A `random` with which each random wait is its upper bound. A random number is less than 1. This
 * is the largest that there is. A wait of whole ms is rounded, so 1 would give the same.
 */
export const longestWait = (): number => 1 - Number.EPSILON / 2;
