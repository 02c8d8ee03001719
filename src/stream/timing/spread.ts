import { answeredAtOnce, aPlainValue } from '../../error/index.js';

/**
 * When a network comes back, all clients wake at once. Their polls are spread over this time, in
 * ms, or over 1 ms for each watch if that is more.
 */
const MIN_SPREAD_MS = 1_000;

/** How long a watch waits, in ms, before a poll that many watches send at once. */
export function spreadWait(openWatches: number, settings: { readonly random: () => number }): number {
  return spreadOver(Math.max(MIN_SPREAD_MS, openWatches), settings);
}

/** A random part of a time, in ms. */
export function spreadOver(time: number, { random }: { readonly random: () => number }): number {
  return Math.round(within01(random()) * time);
}

/**
 * Returns `chance` if it is a number from 0 to 1, otherwise 0.5. A custom `random` must not cause a
 * hot loop. If it returns a promise, an `InputError` is thrown.
 */
export function within01(chance: number): number {
  answeredAtOnce('random', chance, aPlainValue);
  return chance >= 0 && chance <= 1 ? chance : 0.5;
}
