/** The exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
