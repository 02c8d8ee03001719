import { metrics, type Meter } from '@opentelemetry/api';
import { asyncScheduler } from 'rxjs';
import { monotonicClock } from '../../stream/index.js';

/** The report of a worker: `Heartbeat` of `lobby-rx/fleet`. */
export interface WorkerBeat {
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
  readonly heartbeat?: WorkerBeat;
  /** Whether NATS has stored that heartbeat. */
  readonly stored?: boolean;
  /** The silent worker that had the shard which is assigned. */
  readonly from?: string | undefined;
}

/**
 * The events that are counted by their kinds. An assignment is counted only if the shard was a
 * silent worker's.
 */
const INCIDENTS = new Set(
  'assigned lost conflict gap identity_rejected identities_differ overloaded nats_error'.split(' '),
);

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
  let beat: WorkerBeat | undefined;
  const clock = monotonicClock(asyncScheduler);
  let storedAt = clock.now();
  const ofWorker = { 'lobby.fleet.worker': worker };
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`lobby.fleet.${name}`, { unit, description });
  const shards = gauge('shards', '{shard}', 'Shards that the worker holds');
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
      if (!beat) return;
      const { live, retrying, rejected, unstored: storing } = beat;
      const starting = Math.max(0, beat.identities - live - retrying - rejected - storing);
      for (const [state, count] of Object.entries({ live, retrying, rejected, storing, starting }))
        result.observe(identities, count, { ...ofWorker, 'lobby.fleet.state': state });
      result.observe(shards, beat.shards, ofWorker);
      result.observe(unstored, beat.unstored, ofWorker);
      result.observe(waiting, beat.waiting, ofWorker);
      result.observe(late, beat.late / 1_000, ofWorker);
      result.observe(events, beat.events, ofWorker);
      result.observe(age, (clock.now() - storedAt) / 1_000, ofWorker);
    },
    [shards, identities, unstored, waiting, late, events, age],
  );
  return event => {
    if (event.heartbeat?.worker === worker) {
      beat = event.heartbeat;
      if (event.stored) storedAt = clock.now();
    }
    if (!INCIDENTS.has(event.kind) || (event.kind === 'assigned' && event.from === undefined)) return;
    const kind = event.kind === 'assigned' ? 'takeover' : event.kind;
    incidents.add(1, { ...ofWorker, 'lobby.fleet.incident': kind });
  };
}
