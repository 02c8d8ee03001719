import { cursor } from './cursor.js';
import { fromGuard } from './from-guard.js';

/** A watch index or an anchor as an argument: an empty one makes deployed servers fail, so it must be left out instead. */
export const cursorArgument = fromGuard(
  'a non-empty string as an answer gave it; leave it out to begin anew',
  (u): u is string => cursor.is(u) && u !== '',
);
