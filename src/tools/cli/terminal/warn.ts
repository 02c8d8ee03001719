import { printable } from '../../../error/index.js';

/** Prints one line on standard error. */
export function warn(message: string): void {
  process.stderr.write(`lobby-rx: ${printable(message)}\n`);
}
