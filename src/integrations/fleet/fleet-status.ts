import { defer, type Observable } from 'rxjs';
import { checkOptions, type Options } from '../../error/index.js';
import type { FailingIdentity } from './fleet-event.js';
import {
  explained,
  fleetName,
  liveWorkers,
  natsConnection,
  natsProblem,
  openFleetToRead,
  streamsOf,
  type FleetStream,
  type LiveWorker,
  type Nats,
  type OpenFleet,
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
  readonly shards: number;
  /** In ms. 0 if it may not be read. */
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
 * Errors: `FleetError` if NATS is not reached, or has no such fleet. What the user of NATS may not
 * read is in `unknown`. Throws an `InputError` if the config is invalid.
 *
 * @example
 * const { workers } = await lastValueFrom(fleetStatus({ nats: connect({ servers }) }));
 */
export function fleetStatus(config: FleetStatusConfig): Observable<FleetStatus> {
  checkOptions(config, OPTIONS, '', ['nats']);
  return defer(async () => statusOf(await openFleetToRead(config), config.fleet ?? 'lobby'));
}

async function statusOf(fleet: OpenFleet, name: string): Promise<FleetStatus> {
  const { jsm, names, shards } = fleet;
  const { ts } = await jsm.streams.info(names.stream);
  // By the clock of NATS, from which all the times come. NATS 2.9 does not tell it.
  const now = ts === undefined ? Date.now() : Date.parse(ts);
  const unknown: string[] = [];
  const orUnknown = async <T>(what: string, asked: Promise<T>, otherwise: T): Promise<T> =>
    explained(() => asked).catch((error: unknown) => {
      unknown.push(`${what}: ${natsProblem(error).message}`);
      return otherwise;
    });
  const [{ lease, workers }, consumers, delivered, ...streams] = await Promise.all([
    orUnknown('workers', liveWorkers(jsm, names), { lease: 0, workers: [] }),
    orUnknown('consumers', consumerLags(fleet), []),
    orUnknown('deliveries', deliveries(fleet), []),
    ...streamsOf(jsm, names).map(asked => orUnknown<FleetStream | undefined>('a stream', asked, undefined)),
  ]);
  return {
    fleet: name,
    shards,
    lease,
    workers: workers.map(worker => workerStatus(worker, now)),
    consumers: consumers.map(lag => consumerStatus(lag, now)),
    deliveries: delivered,
    streams: streams.filter(stream => stream !== undefined),
    unknown,
  };
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
