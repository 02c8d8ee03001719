/** The exit codes of the command line: fine; refused by the service; wrong arguments; the service was not reached. */
export const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3 } as const;
