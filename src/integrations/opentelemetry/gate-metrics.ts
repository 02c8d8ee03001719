import { metrics, type Meter } from '@opentelemetry/api';

/** The figures of a gate: `GateStats` of `lobby-rx/lobby-server`. */
export interface GateFigures {
  readonly open: number;
  readonly away: number;
  readonly waiting: number;
  readonly pending: number;
  readonly unresolved: number;
  readonly admitted: number;
  readonly freed: number;
  readonly notFreed: number;
  readonly hookFailures: number;
  readonly refused: Readonly<Record<string, number>>;
}

const STATES = ['open', 'away', 'waiting', 'pending', 'unresolved'] as const;

/**
 * Returns a function for the `stats$` of a gate that feeds a meter: clients by state, admissions,
 * freed slots, refusals by reason, and failed hooks. The names are in docs/metrics.md. There are at
 * most 64 reasons.
 *
 * Call it once for each gate, after the SDK has been registered, with another name for each gate of
 * a meter. Default `meter`: that of the SDK.
 *
 * @example
 * const gate$ = lobbyGate({ server, client });
 * gate$.stats$.subscribe(gateMetrics('lobby'));
 */
export function gateMetrics(
  name?: string,
  meter: Meter = metrics.getMeter('lobby-rx'),
): (stats: GateFigures) => void {
  let stats: GateFigures | undefined;
  const ofGate = name === undefined ? {} : { 'lobby.gate.name': name };
  const clients = meter.createObservableGauge('lobby.gate.clients', {
    unit: '{client}',
    description: 'Clients by state: open, away, waiting, pending, unresolved',
  });
  const admitted = meter.createObservableCounter('lobby.gate.admitted', {
    unit: '{player}',
    description: 'Players who have been admitted',
  });
  const slots = meter.createObservableCounter('lobby.gate.slots', {
    unit: '{slot}',
    description: 'Slots of players who have left, by outcome: freed, not_freed',
  });
  const refused = meter.createObservableCounter('lobby.gate.refused', {
    unit: '{client}',
    description: 'Clients that have been refused, by reason',
  });
  const hookFailures = meter.createObservableCounter('lobby.gate.hook_failures', {
    unit: '{call}',
    description: 'Calls of hooks that have failed, except freeSlot',
  });
  meter.addBatchObservableCallback(
    result => {
      if (!stats) return;
      for (const state of STATES) {
        result.observe(clients, stats[state], { ...ofGate, 'lobby.gate.state': state });
      }
      result.observe(admitted, stats.admitted, ofGate);
      result.observe(slots, stats.freed, { ...ofGate, 'lobby.gate.outcome': 'freed' });
      result.observe(slots, stats.notFreed, { ...ofGate, 'lobby.gate.outcome': 'not_freed' });
      result.observe(hookFailures, stats.hookFailures, ofGate);
      for (const [reason, count] of Object.entries(stats.refused)) {
        result.observe(refused, count, { ...ofGate, 'lobby.gate.reason': reason });
      }
    },
    [clients, admitted, slots, refused, hookFailures],
  );
  return next => {
    stats = next;
  };
}
