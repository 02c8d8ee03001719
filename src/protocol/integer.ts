import { fromGuard } from './from-guard.js';

/** A whole number, as a plain `number`: io-ts's own `Int` is branded, and no user wants to unwrap a follower count. */
export const integer = fromGuard('integer', (u): u is number => Number.isInteger(u));
