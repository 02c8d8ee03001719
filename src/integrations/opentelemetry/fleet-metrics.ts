import { metrics, type Meter } from '@opentelemetry/api';
import { asyncScheduler } from 'rxjs';
import { monotonicClock } from '../../stream/index.js';

/** The report of a worker: `Heartbeat` of `lobby-rx/fleet`. */
export interface WorkerHeartbeat {
  readonly worker: string;
  readonly shards: number;
  readonly identities: number;
  readonly live: number;
  readonly retrying: number;
  readonly rejected: number;
  readonly events: number;
  readonly unstored: number;
  readonly waiting: number;
  readonly late: number;
}

/** What happens in a fleet: `FleetEvent` of `lobby-rx/fleet`. */
export interface WorkerEvent {
  readonly kind: string;
  readonly heartbeat?: WorkerHeartbeat;
  /** Whether NATS has stored that heartbeat. */
  readonly stored?: boolean;
  /** The silent worker that had the shard which is assigned. */
  readonly from?: string | undefined;
}

/** The kinds of events that are incidents. */
const INCIDENTS: ReadonlySet<string> = new Set([
  'lost',
  'conflict',
  'gap',
  'identity_rejected',
  'identities_differ',
  'identities_error',
  'overloaded',
  'nats_error',
]);

/**
 * Returns a function for the events of `runFleet` that feeds a meter with the work of the worker of
 * this process: its shards, its identities by state, events stored, answers that NATS has not
 * stored yet (its lag), polls that wait for the rate limit, how late its timers are, and incidents
 * by kind. The names are in docs/metrics.md.
 *
 * `worker` is the `name` of the worker. Call it once, after the SDK has been registered. Default
 * `meter`: that of the SDK.
 *
 * @example
 * runFleet({ nats, identities$, client, name }).subscribe(fleetMetrics(name));
 */
export function fleetMetrics(
  worker: string,
  meter: Meter = metrics.getMeter('lobby-rx'),
): (event: WorkerEvent) => void {
  let latest: WorkerHeartbeat | undefined;
  const clock = monotonicClock(asyncScheduler);
  let storedAt = clock.now();
  const ofWorker = { 'lobby.fleet.worker': worker };
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`lobby.fleet.${name}`, { unit, description });
  const shards = gauge('shards', '{shard}', 'Shards that the worker owns');
  const identities = gauge('identities', '{identity}', 'Identities that it follows, by state');
  const unstored = gauge('unstored', '{answer}', 'Answers that NATS has not stored yet');
  const waiting = gauge('waiting', '{poll}', 'Polls that wait for the rate limit');
  const age = gauge('heartbeat.age', 's', 'How long NATS has stored no heartbeat of the worker');
  const late = gauge('late', 's', 'How late the timers of the worker are');
  const events = meter.createObservableCounter('lobby.fleet.events', {
    unit: '{event}',
    description: 'Events that it has stored',
  });
  const incidents = meter.createCounter('lobby.fleet.incidents', {
    unit: '{incident}',
    description: 'What went wrong, by kind',
  });
  meter.addBatchObservableCallback(
    result => {
      if (!latest) return;
      const { live, retrying, rejected } = latest;
      const storing = latest.unstored;
      const starting = Math.max(0, latest.identities - live - retrying - rejected - storing);
      const counts = { live, retrying, rejected, storing, starting };
      for (const [state, count] of Object.entries(counts)) {
        result.observe(identities, count, { ...ofWorker, 'lobby.fleet.state': state });
      }
      result.observe(shards, latest.shards, ofWorker);
      result.observe(unstored, latest.unstored, ofWorker);
      result.observe(waiting, latest.waiting, ofWorker);
      result.observe(late, latest.late / 1_000, ofWorker);
      result.observe(events, latest.events, ofWorker);
      result.observe(age, (clock.now() - storedAt) / 1_000, ofWorker);
    },
    [shards, identities, unstored, waiting, late, events, age],
  );
  return event => {
    if (event.heartbeat?.worker === worker) {
      latest = event.heartbeat;
      if (event.stored) storedAt = clock.now();
    }
    const incident = incidentOf(event);
    if (incident) incidents.add(1, { ...ofWorker, 'lobby.fleet.incident': incident });
  };
}

/**
 * The name of an incident in the metrics. `undefined` if the event is not an incident. An
 * assignment is one only if the shard was a silent worker's.
 */
function incidentOf({ kind, from }: WorkerEvent): string | undefined {
  if (kind === 'assigned') return from === undefined ? undefined : 'takeover';
  return INCIDENTS.has(kind) ? kind : undefined;
}
