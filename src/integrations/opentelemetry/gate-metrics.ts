import { metrics, type Meter } from '@opentelemetry/api';

/** The figures of a gate: `GateStats` of `lobby-rx/lobby-server`. */
export interface GateFigures {
  readonly open: number;
  readonly waiting: number;
  readonly checking: number;
  readonly held: number;
  readonly admitted: number;
  readonly hookFailures: number;
  readonly refused: Readonly<Record<string, number>>;
}

const PLACES = ['open', 'waiting', 'checking', 'held'] as const;

/**
 * Returns a function for the `stats$` of a gate that feeds a meter: players and sockets by state, admissions, refusals by reason, and
 * failed hooks. The names stand in docs/metrics.md. There are at most 64 reasons.
 *
 * Call it once a gate, after the SDK has been registered, with a name of its own if a meter has several. Default `meter`: that of the SDK.
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
  const own = name === undefined ? {} : { 'lobby.gate.name': name };
  const places = meter.createObservableGauge('lobby.gate.places', {
    ...{ unit: '{socket}', description: 'Sockets by state: open, waiting, checking, held' },
  });
  const admitted = meter.createObservableCounter('lobby.gate.admitted', {
    ...{ unit: '{player}', description: 'Players who have been admitted' },
  });
  const refused = meter.createObservableCounter('lobby.gate.refused', {
    ...{ unit: '{client}', description: 'Clients that have been refused, by reason' },
  });
  const hookFailures = meter.createObservableCounter('lobby.gate.hook_failures', {
    ...{ unit: '{call}', description: 'Calls of hooks that have failed' },
  });
  meter.addBatchObservableCallback(
    result => {
      if (!stats) return;
      for (const state of PLACES) result.observe(places, stats[state], { ...own, 'lobby.gate.state': state });
      result.observe(admitted, stats.admitted, own);
      result.observe(hookFailures, stats.hookFailures, own);
      for (const [reason, count] of Object.entries(stats.refused))
        result.observe(refused, count, { ...own, 'lobby.gate.reason': reason });
    },
    [places, admitted, refused, hookFailures],
  );
  return next => (stats = next);
}
