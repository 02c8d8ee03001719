import { Observable } from 'rxjs';
import { printable } from '../../../error/index.js';

/** Prints one line on standard error. */
export function warn(message: string): void {
  process.stderr.write(`lobby-rx: ${printable(message)}\n`);
}

/**
 * Prints a line. Emits nothing, and completes when it has been written to standard output, so that
 * with `concatMap` a slow reader slows down the source. It never completes if it cannot be written.
 */
export function printLine(line: string): Observable<never> {
  return new Observable(subscriber => {
    process.stdout.write(`${line}\n`, error => {
      // If the line was not written, no checkpoint may be saved after it. `main.ts` then ends the
      // process.
      if (!error) subscriber.complete();
    });
  });
}
