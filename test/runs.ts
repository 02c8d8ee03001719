/**
 * The number of runs, players and the like for a slow test: all with `FULL=1`, otherwise a tenth.
 */
export function runs(full: number): number {
  return process.env.FULL ? full : Math.ceil(full / 10);
}
