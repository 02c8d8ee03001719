import { isDecodeError, isStatusError, isTransportError } from '../protocol/index.js';
import { EXIT } from './exit.js';

/** The exit code that an error of the client calls for; all else is a fault in the arguments. */
export function exitCodeOf(error: unknown): number {
  if (isStatusError(error) || isDecodeError(error)) return EXIT.refused;
  return isTransportError(error) ? EXIT.unreachable : EXIT.usage;
}
