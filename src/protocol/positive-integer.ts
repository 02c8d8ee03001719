import { fromGuard } from './from-guard.js';

/** An argument that counts something. */
export const positiveInteger = fromGuard(
  'a positive integer',
  (u): u is number => Number.isSafeInteger(u) && (u as number) > 0,
);
