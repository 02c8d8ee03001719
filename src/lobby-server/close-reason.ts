import { fromGuard } from '../protocol/index.js';

/** The reason that a socket is closed for, as an argument: a close frame has room for no more. */
export const closeReason = fromGuard(
  'a text of 123 bytes at the most',
  (u): u is string => typeof u === 'string' && Buffer.byteLength(u) <= 123,
);
