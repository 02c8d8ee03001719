/** How many runs a costly property test gets: a tenth of those it is worth, and all of them with `FULL=1`. */
export function runs(full: number): number {
  return process.env.FULL ? full : Math.ceil(full / 10);
}
