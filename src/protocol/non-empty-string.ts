import { fromGuard } from './from-guard.js';

/** An argument that has to say something: a token, say. */
export const nonEmptyString = fromGuard(
  'a non-empty string',
  (u): u is string => typeof u === 'string' && u !== '',
);
