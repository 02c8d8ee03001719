/**
 * The guard against a hot loop, as a pure function: when the next poll that follows nothing new may go out. `busyUntil`
 * is the moment up to which the polls so far have used up their share; a `burst` of them may run ahead of it.
 */
export function pace(
  busyUntil: number,
  now: number,
  { minInterval, burst }: { readonly minInterval: number; readonly burst: number },
): { readonly wait: number; readonly busyUntil: number } {
  // The second bound is for a clock that is set back: it must not turn into a wait of hours.
  const from = Math.min(Math.max(busyUntil, now), now + burst * minInterval);
  return { wait: Math.max(0, from - (burst - 1) * minInterval - now), busyUntil: from + minInterval };
}
