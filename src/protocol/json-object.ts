import { fromGuard } from './from-guard.js';

/** A JSON object whose fields are nobody's business but the game's. */
export const jsonObject = fromGuard(
  'object',
  (u): u is Readonly<Record<string, unknown>> => typeof u === 'object' && u !== null && !Array.isArray(u),
);
