import { Observable } from 'rxjs';

/**
 * Prints a value as one line of JSON. Emits nothing, and completes when the line has been written to standard output, so
 * that with `concatMap` a slow reader slows down the source. It never completes if it cannot be written.
 */
export function printLine(value: unknown): Observable<never> {
  return new Observable(subscriber => {
    process.stdout.write(`${JSON.stringify(value)}\n`, error => {
      // If nobody has read the line, no checkpoint may be saved after it. The process is about to end; see `main.ts`.
      if (!error) subscriber.complete();
    });
  });
}
