/**
 * The exit codes of the command line: fine; refused by the service; wrong arguments; the service was not reached; and, as
 * shells have it, stopped by a signal before it was done.
 */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  unreachable: 3,
  interrupted: 130,
  terminated: 143,
} as const;
