import {
  JetStreamApiCodes,
  jetstream,
  jetstreamManager,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { Kvm, type KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { FleetError, NO_FLEET_YET, NotYet } from '../fleet-error.js';
import { fleetNames, type FleetNames } from './fleet-names.js';
import {
  otherLimits,
  problemOf,
  requireBucket,
  requirePresence,
  requireStream,
  type StreamLimits,
} from './require-stream.js';
import {
  agreeOnFleetState,
  changeShards,
  countStream,
  generationsIn,
  readFleetState,
  type Generations,
  type ShardCounts,
} from './fleet-state.js';
import { presenceIn, presenceOf } from './presence-subject.js';
import { whenConnected, type Nats } from './nats-connection.js';
import { isApiError, isUnanswered, mayPass, natsProblem } from './nats-problem.js';
import { Publisher } from './publisher.js';
import { messageFrom, stateIn } from './stored-message.js';

/** The first version of NATS that can republish messages, and has direct gets. */
const OLDEST = [2, 9] as const;

/**
 * The first version whose clusters check the expected last message before they append. A cluster of
 * 2.9 stores both of two competing appends.
 */
export const OLDEST_CLUSTER = [2, 10] as const;

/** A fleet on a NATS server. */
export interface OpenFleet extends Generations {
  readonly nats: NatsConnection;
  readonly names: FleetNames;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly shards: number;
  /** The former numbers of shards. */
  readonly before: readonly number[];
}

/** A fleet as a worker needs it. */
export interface WorkingFleet extends OpenFleet {
  readonly positions: KV;
  /** How long a worker counts as alive after a heartbeat, in ms. */
  readonly lease: number;
  readonly publisher: Publisher;
  /**
   * Says which limits of the streams differ from the options of this worker. `undefined` if none
   * does.
   */
  readonly otherLimits: string | undefined;
  /** Creates the streams and buckets that the server has lost. */
  readonly ensure: () => Promise<unknown>;
  /**
   * Rejects with an error that says what to do. If the error is that a stream is missing, it first
   * creates the stream.
   */
  readonly restore: (error: unknown) => Promise<never>;
}

/** How to open a fleet. */
export interface OpenFleetConfig extends StreamLimits {
  readonly nats: Nats;
  /** Its name. Default `lobby`. */
  readonly fleet?: string | undefined;
  readonly shards?: number | undefined;
  /** How long a worker counts as alive after a heartbeat, in ms. */
  readonly lease: number;
}

/**
 * Opens a fleet for a worker. Creates streams and buckets that do not exist. Errors: `FleetError`,
 * `InputError`.
 */
export async function openFleetToWork(config: OpenFleetConfig): Promise<WorkingFleet> {
  const { replicas = 1 } = config;
  return explained(async () => {
    const { nats, names, js, jsm } = await reach(config);
    const open = async (wanted: Partial<ShardCounts>) => {
      if (replicas > 1) requireVersion(nats, OLDEST_CLUSTER, 'a fleet with replicas');
      const stream = await requireStream(jsm, names, config);
      const { num_replicas } = stream.config;
      if (num_replicas > 1)
        requireVersion(nats, OLDEST_CLUSTER, `the stream ${names.stream}, which has replicas,`);
      // The state of the fleet is read from the leader of a cluster, because a follower may lag
      // behind.
      const state = await requireBucket(js, jsm, names.bucket, { replicas, allow_direct: false });
      const positions = await requireBucket(js, jsm, names.positions, { replicas, allow_direct: true });
      const alive = await requirePresence(jsm, names, config.lease, replicas);
      const { kv } = state;
      const { shards, before } = await agreeOnFleetState(kv, wanted);
      const from = (sequence: number) => messageFrom({ jsm, names }, sequence);
      await countStream(kv, stateIn(stream), from);
      const configs = [stream.config, alive.config, state.config, positions.config] as const;
      const limits = otherLimits(configs, names, config);
      return { ...generationsIn(kv, from), positions: positions.kv, shards, before, otherLimits: limits };
    };
    const opened = await open(config.shards === undefined ? {} : { shards: config.shards });
    let opening: Promise<unknown> | undefined;
    const ensure = () => {
      opening ??= open({ shards: opened.shards, before: opened.before }).finally(() => {
        opening = undefined;
      });
      return opening;
    };
    return {
      nats,
      names,
      js,
      jsm,
      ...opened,
      lease: config.lease,
      publisher: new Publisher(js, jsm.streams),
      ensure,
      restore: async (error: unknown) => {
        if (!isUnanswered(error) && !isApiError(error, JetStreamApiCodes.StreamNotFound))
          throw natsProblem(error);
        await explained(ensure);
        throw new FleetError(
          `a stream of the fleet ${config.fleet ?? 'lobby'} did not answer; it is there now, and was created if it was missing`,
        );
      },
    };
  });
}

/** Opens a fleet for a consumer, which may read all of it. Errors: `FleetError`. */
export async function openFleetToRead(config: Pick<OpenFleetConfig, 'nats' | 'fleet'>): Promise<OpenFleet> {
  return explained(async () => {
    const reached = await reach(config);
    const { jsm, names } = reached;
    const problem = problemOf((await jsm.streams.info(names.stream)).config, names);
    if (problem) throw new FleetError(problem);
    return readable(reached);
  });
}

/**
 * Opens a fleet for a feed, which needs no rights but those to read one identity. Errors:
 * `FleetError`.
 */
export async function openFleetToFollow(config: Pick<OpenFleetConfig, 'nats' | 'fleet'>): Promise<OpenFleet> {
  return explained(async () => {
    const reached = await reach(config);
    return readable(reached).catch((error: unknown) => {
      // The server gives no answer about a bucket that does not exist.
      if (!mayPass(error, true)) throw error;
      throw new NotYet(`${NO_FLEET_YET}; or JetStream does not answer`, { cause: error });
    });
  });
}

/** Sets another number of shards, unless a worker is alive. Errors: `FleetError`. */
export async function changeFleet(
  config: Pick<OpenFleetConfig, 'nats' | 'fleet'> & { readonly shards: number },
): Promise<void> {
  return explained(async () => {
    const { js, jsm, names } = await reach(config);
    const subjects_filter = `${presenceOf(names.present)}>`;
    const { state } = await jsm.streams.info(names.alive, { subjects_filter });
    const alive = Object.keys(state.subjects ?? {}).flatMap(subject => presenceIn(names.present, subject));
    const workers = [...new Set(alive.map(({ worker }) => worker))];
    if (workers.length > 0)
      throw new FleetError(
        `these workers are alive: ${workers.join(', ')}; stop them, and try again after a lease`,
      );
    await changeShards(await new Kvm(js).open(names.bucket), config.shards);
  });
}

async function readable(reached: Awaited<ReturnType<typeof reach>>): Promise<OpenFleet> {
  const kv = await new Kvm(reached.js).open(reached.names.bucket, { allow_direct: true });
  const generations = generationsIn(kv, sequence => messageFrom(reached, sequence));
  return { ...reached, ...(await readFleetState(kv)), ...generations };
}

/** Opens the bucket of positions, which a worker has created. */
export function openPositions({ js, names }: OpenFleet): Promise<KV> {
  return new Kvm(js).open(names.positions, { allow_direct: true });
}

export async function explained<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw natsProblem(error);
  }
}

export async function reach({ nats, fleet }: Pick<OpenFleetConfig, 'nats' | 'fleet'>) {
  const connection = await nats;
  if (connection.isClosed()) throw new FleetError('the connection to NATS was closed');
  if (!connection.info) await whenConnected(connection);
  requireVersion(connection, OLDEST, 'a fleet');
  const jsm = await jetstreamManager(connection, { checkAPI: false });
  return { nats: connection, names: fleetNames(fleet), js: jetstream(connection), jsm };
}

export function requireVersion(
  { info }: NatsConnection,
  oldest: readonly [number, number],
  what: string,
): void {
  // The connection is lost again, so the version is not known.
  if (!info) return;
  const { version } = info;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new FleetError(`${what} needs NATS ${oldest.join('.')} or later; this server has ${version}`);
}
