/** The number of runs for a slow property test: all with `FULL=1`, otherwise a tenth. */
export function runs(full: number): number {
  return process.env.FULL ? full : Math.ceil(full / 10);
}
