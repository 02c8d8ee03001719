import type { JetStreamManager } from '@nats-io/jetstream';
import { defer, type Observable } from 'rxjs';
import { checkOptions, type Options } from '../../error/index.js';
import { NotYet } from './fleet-error.js';
import type { FailingIdentity } from './fleet-event.js';
import {
  explained,
  fleetName,
  fleetStreams,
  liveWorkers,
  natsConnection,
  natsProblem,
  openFleetToRead,
  reach,
  streamOf,
  type FleetStream,
  type LiveWorker,
  type Nats,
} from './nats/index.js';
import { consumerLags, deliveries, type ConsumerLag, type Delivery } from './read/index.js';

/** The options of {@link fleetStatus}. */
export interface FleetStatusConfig {
  /** A connection of `@nats-io/transport-node`, or the promise of one. It is not closed. */
  readonly nats: Nats;
  /** The name of the fleet. Default `lobby`. */
  readonly fleet?: string;
}

/** A worker that is alive. All but `age`, `given` and `trial` is as in its last heartbeat. */
export interface FleetWorkerStatus {
  readonly worker: string;
  /** How old its last heartbeat is, in ms. */
  readonly age: number;
  readonly capacity: number;
  readonly shards: number;
  readonly identities: number;
  readonly live: number;
  readonly retrying: number;
  readonly rejected: number;
  readonly failing: readonly FailingIdentity[];
  readonly events: number;
  readonly unstored: number;
  readonly waiting: number;
  readonly late: number;
  /** Tells apart different lists of `identities$`. `undefined` if it uses `identities`. */
  readonly given: string | undefined;
  /** Whether none of its polls gets through, so that others have its shards. */
  readonly trial: boolean;
}

/** A consumer with a `durable`. */
export interface FleetConsumerStatus {
  readonly durable: string;
  /** What it reads: `lobby.events.*.*` is everything, `lobby.events.7.*` a shard. */
  readonly subjects: string;
  /** How many messages it has not handled. */
  readonly messages: number;
  /** How old the oldest of them is, in ms. 0 if none is left. */
  readonly age: number;
}

/** A fleet, as NATS has it now. */
export interface FleetStatus {
  readonly fleet: string;
  /** 0 if that cannot be read. */
  readonly shards: number;
  /** In ms. 0 if it cannot be read. */
  readonly lease: number;
  readonly workers: readonly FleetWorkerStatus[];
  readonly consumers: readonly FleetConsumerStatus[];
  /** What NATS sends to the consumers that are connected, with or without a `durable`. */
  readonly deliveries: readonly Delivery[];
  readonly streams: readonly FleetStream[];
  /** What could not be read, and why. */
  readonly unknown: readonly string[];
}

const OPTIONS: Options<FleetStatusConfig> = { nats: natsConnection, fleet: fleetName };

/**
 * Reads the state of a fleet from NATS: its workers, what its consumers have not read, its streams.
 * It asks no worker, and needs only rights to read. Cold. Emits once, and completes.
 *
 * Errors: `FleetError` if NATS is not reached, or has no such fleet. What cannot be read is in
 * `unknown`: a right is missing, or a stream is offline. Throws an `InputError` if the config is
 * invalid.
 *
 * @example
 * const { workers } = await lastValueFrom(fleetStatus({ nats: connect({ servers }) }));
 */
export function fleetStatus(config: FleetStatusConfig): Observable<FleetStatus> {
  checkOptions(config, OPTIONS, '', ['nats']);
  return defer(() => explained(() => statusOf(config)));
}

async function statusOf(config: FleetStatusConfig): Promise<FleetStatus> {
  const { jsm, names } = await reach(config);
  const unknown: string[] = [];
  const orUnknown = async <T>(what: string, asked: Promise<T>, otherwise: T): Promise<T> =>
    explained(() => asked).catch((error: unknown) => {
      unknown.push(`${what}: ${natsProblem(error).message}`);
      return otherwise;
    });
  const opening = openFleetToRead(config);
  // Of a fleet that exists, the rest is shown, although a stream may be offline.
  await opening.catch((error: unknown) => {
    if (error instanceof NotYet) throw error;
  });
  const [shards, { lease, workers }, consumers, delivered, now, ...streams] = await Promise.all([
    orUnknown(
      'shards',
      opening.then(fleet => fleet.shards),
      0,
    ),
    orUnknown('workers', liveWorkers(jsm, names), { lease: 0, workers: [] }),
    orUnknown('consumers', opening.then(consumerLags), []),
    orUnknown('deliveries', deliveries(jsm, names.stream), []),
    timeOfNats(jsm, names.stream),
    ...fleetStreams(names).map(name =>
      orUnknown<FleetStream | undefined>(name, streamOf(jsm, names, name), undefined),
    ),
  ]);
  return {
    fleet: config.fleet ?? 'lobby',
    shards,
    lease,
    workers: workers.map(worker => workerStatus(worker, now)),
    consumers: consumers.map(lag => consumerStatus(lag, now)),
    deliveries: delivered,
    streams: streams.filter(stream => stream !== undefined),
    unknown,
  };
}

/** The time by the clock of NATS, from which all times come. NATS 2.9 does not tell it. */
async function timeOfNats(jsm: JetStreamManager, stream: string): Promise<number> {
  const { ts } = await jsm.streams.info(stream).catch(() => ({ ts: undefined }));
  return ts === undefined ? Date.now() : Date.parse(ts);
}

function workerStatus({ presence, heartbeat, at }: LiveWorker, now: number): FleetWorkerStatus {
  const { worker, capacity, given, trial } = presence;
  const { shards, identities, live, retrying, rejected, failing = [] } = heartbeat;
  const { events, unstored, waiting, late } = heartbeat;
  return {
    worker,
    age: Math.max(0, now - at),
    capacity,
    shards,
    identities,
    live,
    retrying,
    rejected,
    failing,
    events,
    unstored,
    waiting,
    late,
    given: given && `${given.count} ${given.hash.toString(36)}`,
    trial: trial !== undefined,
  };
}

function consumerStatus({ oldestAt, ...lag }: ConsumerLag, now: number): FleetConsumerStatus {
  return { ...lag, age: oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) };
}
