import { fromGuard } from './from-guard.js';
import { isWellFormed } from './is-well-formed.js';

const LONGEST = 2048;

/**
 * A text of the server's that is sent back in a URL: a watch index or an anchor. Opaque, never a number.
 *
 * One that could not be sent back (a lone surrogate, or longer than any server takes in a URL) is refused here, with
 * the answer it came in, rather than at the next request, where the caller would be blamed for it.
 */
export const cursor = fromGuard(
  'string that fits a URL',
  (u): u is string => typeof u === 'string' && u.length <= LONGEST && isWellFormed(u),
);
