import { Observable } from 'rxjs';

/**
 * Prints a value as one line of JSON. Emits nothing, and completes when the line has been written to standard output, so
 * that with `concatMap` a slow reader slows down the source.
 */
export function printLine(value: unknown): Observable<never> {
  return new Observable(subscriber => {
    process.stdout.write(`${JSON.stringify(value)}\n`, () => subscriber.complete());
  });
}
