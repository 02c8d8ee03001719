import type { BackoffConfig } from './backoff-config.js';

/** How long to wait before the `attempt`-th try anew (from 1), in ms. `random` gives a number from 0 up to 1. */
export function backoffDelay(
  attempt: number,
  { initial, max }: Required<BackoffConfig>,
  random: () => number,
): number {
  return Math.round(random() * Math.min(max, initial * 2 ** (attempt - 1)));
}
