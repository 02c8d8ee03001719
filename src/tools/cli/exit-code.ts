import { answerBehind, isDecodeError, isTransportError } from '../../error/index.js';

/** The exit codes of the command line. A signal gives 128 plus its number, as in shells. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  unknown: 4,
  interrupted: 130,
  terminated: 143,
} as const;

/** An error with its exit code. */
export class ExitError extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

/**
 * The exit code of an error. One that is neither an answer nor a failed connection comes from
 * invalid arguments.
 */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitError) return error.code;
  if (answerBehind(error) !== undefined || isDecodeError(error)) return EXIT.refused;
  return isTransportError(error) ? EXIT.unreachable : EXIT.usage;
}
