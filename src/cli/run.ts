import { fromEvent, map, merge, takeUntil, tap, type Observable } from 'rxjs';
import { isDecodeError, isStatusError, isTransportError } from '../error/index.js';

/** The exit codes of the command line. A signal gives 128 plus its number, as in shells. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  interrupted: 130,
  terminated: 143,
} as const;

/** How a command runs. */
export interface RunConfig {
  /** Whether the command runs until it is stopped: then a signal is its normal end, with exit code 0. Default false. */
  readonly endless?: boolean;
}

/**
 * Runs a command. `prepare` reads the arguments and returns the work to do, or a text to print, such as the help.
 *
 * The promise resolves when the work completes or fails, or on SIGINT or SIGTERM, which unsubscribe from it. It never
 * rejects: errors are printed on standard error, and the exit code shows their kind.
 *
 * @example
 * run(() => client.group.members(group_id).pipe(concatMap(printLine)));
 */
export async function run(
  prepare: () => Observable<unknown> | string,
  { endless = false }: RunConfig = {},
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

/** Prints one line on standard error and sets the exit code. */
export function fail(message: string, code: number): void {
  process.stderr.write(`lobby-rx: ${message}\n`);
  process.exitCode = code;
}

/** An error that is neither an answer nor a failed connection comes from invalid arguments. */
function exitCodeOf(error: unknown): number {
  if (isStatusError(error) || isDecodeError(error)) return EXIT.refused;
  return isTransportError(error) ? EXIT.unreachable : EXIT.usage;
}
