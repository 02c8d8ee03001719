import type { Check } from '../../../error/index.js';

const MAX_SEED = 2 ** 32 - 1;

export const seedNumber: Check = {
  name: `a whole number from 0 to ${MAX_SEED}`,
  is: u => Number.isInteger(u) && (u as number) >= 0 && (u as number) <= MAX_SEED,
};

/**
 * Random numbers from 0 up to, but not including, 1. The same seed gives the same numbers (the
 * mulberry32 generator).
 */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An id in the form of a UUID, made of random numbers. */
export function randomId(random: () => number): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => Math.floor(random() * 16).toString(16));
}
