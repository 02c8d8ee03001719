import { fromEvent, merge, takeUntil, type Observable } from 'rxjs';
import { EXIT } from './exit.js';
import { exitCodeOf } from './exit-code-of.js';
import { fail } from './fail.js';

/**
 * Runs a command: `prepare` reads the arguments and gives what is to be done, or a text to print. Resolves when it is done,
 * or at Ctrl-C; the exit code says how it went.
 */
export async function run(prepare: () => Observable<unknown> | string): Promise<void> {
  let work$: Observable<unknown> | string;
  try {
    work$ = prepare();
  } catch (error) {
    fail((error as Error).message, EXIT.usage);
    return;
  }
  if (typeof work$ === 'string') return void process.stdout.write(work$);

  const stop$ = merge(fromEvent(process, 'SIGINT'), fromEvent(process, 'SIGTERM'));
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
