import { Observable } from 'rxjs';

/** Prints a value as one line of JSON; completes when it has been handed to whoever reads it. */
export function printLine(value: unknown): Observable<never> {
  return new Observable(subscriber => {
    process.stdout.write(`${JSON.stringify(value)}\n`, () => subscriber.complete());
  });
}
