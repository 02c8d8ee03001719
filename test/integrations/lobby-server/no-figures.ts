import type { GateStats } from 'lobby-rx/lobby-server';

/** The figures of a gate where nothing has happened yet. */
export const NO_FIGURES: GateStats = {
  open: 0,
  away: 0,
  waiting: 0,
  pending: 0,
  unresolved: 0,
  admitted: 0,
  freed: 0,
  notFreed: 0,
  hookFailures: 0,
  refused: {},
};
