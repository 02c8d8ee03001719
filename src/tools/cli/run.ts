import { fromEvent, map, merge, takeUntil, tap, type Observable } from 'rxjs';
import { isTransportError } from '../../error/index.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { warn } from './terminal/index.js';

/** How a command runs. */
export interface RunConfig {
  /**
   * Whether the command runs until it is stopped. Then a signal is its normal end, with exit code
   * 0. Default false.
   */
  readonly endless?: boolean;
}

/**
 * Runs a command. `prepare` reads the arguments and returns the work to do, or a text to print,
 * such as the help.
 *
 * The promise resolves when the work completes or fails, or on SIGINT or SIGTERM, which unsubscribe
 * from it. It never rejects. Errors are printed on standard error, and the exit code shows their
 * kind.
 *
 * @example
 * run(() => client.group.members(group_id).pipe(concatMap(member => printLine(jsonLine(member)))));
 */
export async function run(
  prepare: () => Observable<unknown> | string,
  { endless = false }: RunConfig = {},
): Promise<void> {
  let work$: Observable<unknown> | string;
  try {
    work$ = prepare();
  } catch (error) {
    fail(messageOf(error), EXIT.usage);
    return;
  }
  if (typeof work$ === 'string') {
    process.stdout.write(work$);
    return;
  }

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
        fail(messageOf(error), exitCodeOf(error));
        resolve();
      },
      complete: resolve,
    });
  });
}

/** Prints one line on standard error and sets the exit code. */
export function fail(message: string, code: number): void {
  warn(message);
  process.exitCode = code;
}

/** The message of an error, in terms of the command line. */
function messageOf(error: unknown): string {
  // A failed request does not show the proxies on the way. Doctor looks for them.
  if (isTransportError(error)) return `${error.message}; lobby-rx doctor looks for the cause`;
  return (error as Error).message;
}
