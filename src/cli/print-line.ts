import { Observable } from 'rxjs';

/**
 * Prints a value as one line of JSON. Emits nothing, and completes when the reader of standard output has
 * taken the line, so that a slow reader slows down the source (with `concatMap`).
 */
export function printLine(value: unknown): Observable<never> {
  return new Observable(subscriber => {
    process.stdout.write(`${JSON.stringify(value)}\n`, () => subscriber.complete());
  });
}
