/**
 * The parts of the benchmarks, in the order in which they run. Each is a module of this name, but
 * for `other-watches` and `peers`.
 */
export const PART_NAMES = [
  'requests',
  'open-watches',
  'other-watches',
  'stops',
  'peers',
  'decode',
  'redact',
  'latency',
  'throughput',
  'members',
  'feed',
  'roster',
  'metrics',
  'loading',
  'angular-app',
  'leaks',
  'gate',
  'admissions',
  'besieged-gate',
  'hostile-upgrades',
  'players',
] as const;

/** Those that guard what a page promises: they run with `--check`. The others compare. */
export const CHECKED_PARTS: readonly PartName[] = [
  'open-watches',
  'latency',
  'throughput',
  'redact',
  'feed',
  'roster',
  'loading',
  'leaks',
  'gate',
  'besieged-gate',
  'hostile-upgrades',
  'players',
];

export type PartName = (typeof PART_NAMES)[number];

export function isPartName(name: string): name is PartName {
  return (PART_NAMES as readonly string[]).includes(name);
}
