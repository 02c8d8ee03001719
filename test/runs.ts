/** The number of runs, players and the like for a slow test: all with `FULL=1`, half of them with `FULL=0.5`, otherwise a tenth. */
export function runs(full: number): number {
  return Math.ceil(full * (Number(process.env.FULL ?? 0) || 0.1));
}
