import { fromEvent, map, merge, takeUntil, tap, type Observable } from 'rxjs';
import { EXIT } from './exit.js';
import { exitCodeOf } from './exit-code-of.js';
import { fail } from './fail.js';

/**
 * Runs a command: `prepare` reads the arguments and gives what is to be done, or a text to print. Resolves when it is done,
 * or at Ctrl-C; the exit code says how it went. Only where it is `endless` is a Ctrl-C what it is to end with.
 */
export async function run(
  prepare: () => Observable<unknown> | string,
  { endless = false }: { readonly endless?: boolean } = {},
): Promise<void> {
  let work$: Observable<unknown> | string;
  try {
    work$ = prepare();
  } catch (error) {
    fail((error as Error).message, EXIT.usage);
    return;
  }
  if (typeof work$ === 'string') return void process.stdout.write(work$);

  const stop$ = merge(
    fromEvent(process, 'SIGINT').pipe(map(() => EXIT.interrupted)),
    fromEvent(process, 'SIGTERM').pipe(map(() => EXIT.terminated)),
  ).pipe(
    tap(code => {
      if (!endless) process.exitCode = code;
    }),
  );
  const done$ = work$.pipe(takeUntil(stop$));
  await new Promise<void>(resolve => {
    done$.subscribe({
      error: (error: unknown) => {
        fail((error as Error).message, exitCodeOf(error));
        resolve();
      },
      complete: resolve,
    });
  });
}
