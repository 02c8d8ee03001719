import {
  DiscardPolicy,
  JetStreamApiCodes,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { Kvm, type KV } from '@nats-io/kv';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { FleetError } from '../fleet-error.js';
import { fleetNames, type FleetNames } from './fleet-names.js';
import { agreeOnFleetState, countStream, generationsIn, type Generations } from './fleet-state.js';
import { whenConnected, type Nats } from './nats-connection.js';
import { isApiError, mayPass, natsProblem } from './nats-problem.js';

/** How long records are kept by default, in ms. */
const MAX_AGE = 24 * 3_600_000;

/** The first version that republishes, and reads single messages directly. */
const OLDEST = [2, 9] as const;

/** The first version whose clusters compare what is expected before they append: 2.9 stores two appends that compete. */
const OLDEST_CLUSTER = [2, 10] as const;

/** A fleet on a server. */
export interface OpenFleet extends Generations {
  readonly nats: NatsConnection;
  readonly names: FleetNames;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly shards: number;
}

/** A fleet to work for. */
export interface WorkingFleet extends OpenFleet {
  /** Workers and claims, which all workers watch. */
  readonly kv: KV;
  /** What is read once, and no worker watches. */
  readonly places: KV;
  /** Creates what is missing, if the server has lost what it had stored. */
  readonly ensure: () => Promise<unknown>;
}

/** How to open a fleet. */
export interface OpenFleetConfig {
  readonly nats: Nats;
  /** Its name. Default `lobby`. */
  readonly fleet?: string | undefined;
  readonly shards?: number | undefined;
  /** Of a stream and buckets that do not exist yet. Default 1. */
  readonly replicas?: number | undefined;
  /** Of a stream that does not exist yet, in ms and in bytes. Default a day, and without a limit. */
  readonly maxAge?: number | undefined;
  readonly maxBytes?: number | undefined;
}

type StreamLimits = Pick<OpenFleetConfig, 'replicas' | 'maxAge' | 'maxBytes'>;

/** Opens the fleet to work for it. Creates the stream and the bucket if they do not exist. Errors: `FleetError`, `InputError`. */
export async function openFleetToWork(config: OpenFleetConfig): Promise<WorkingFleet> {
  const { replicas = 1 } = config;
  return explained(async () => {
    const { nats, names, js, jsm } = await reach(config);
    const open = async (wanted: number | undefined) => {
      if (replicas > 1) requireVersion(nats, OLDEST_CLUSTER, 'a fleet with replicas');
      const { config: stream, created } = await requireStream(jsm, names, config);
      const { num_replicas } = stream;
      if (num_replicas > 1)
        requireVersion(nats, OLDEST_CLUSTER, `the stream ${names.stream}, which has replicas,`);
      const kv = await requireBucket(js, jsm, names.bucket, replicas);
      const places = await requireBucket(js, jsm, names.places, replicas);
      const { shards } = await agreeOnFleetState(kv, wanted, true);
      await countStream(kv, created);
      return { kv, places, shards };
    };
    const { kv, places, shards } = await open(config.shards);
    return {
      ...{ nats, names, js, jsm, shards, kv, places },
      ...generationsIn(kv),
      ensure: () => open(shards),
    };
  });
}

/** Opens the fleet to read all of it. Errors: `FleetError`. */
export async function openFleetToRead(config: Pick<OpenFleetConfig, 'nats' | 'fleet'>): Promise<OpenFleet> {
  return explained(async () => {
    const reached = await reach(config);
    const { jsm, names } = reached;
    const problem = problemOf((await jsm.streams.info(names.stream)).config, names);
    if (problem) throw new FleetError(problem);
    return readable(reached);
  });
}

/** Opens the fleet to read one identity, with no more rights than that takes. Errors: `FleetError`. */
export async function openFleetToFollow(config: Pick<OpenFleetConfig, 'nats' | 'fleet'>): Promise<OpenFleet> {
  return explained(async () => {
    const reached = await reach(config);
    return readable(reached).catch((error: unknown) => {
      // The server does not answer for a bucket that is not there.
      if (!mayPass(error, true)) throw error;
      throw new FleetError(
        'the fleet does not exist yet: none of its workers has run; or JetStream does not answer',
        { cause: error },
      );
    });
  });
}

async function readable(reached: Awaited<ReturnType<typeof reach>>): Promise<OpenFleet> {
  const kv = await new Kvm(reached.js).open(reached.names.bucket, { allow_direct: true });
  return { ...reached, ...(await agreeOnFleetState(kv)), ...generationsIn(kv) };
}

/** Opens the bucket of places, which a worker has created. */
export function openPlaces({ js, names }: OpenFleet): Promise<KV> {
  return new Kvm(js).open(names.places, { allow_direct: true });
}

async function explained<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw natsProblem(error);
  }
}

async function reach({ nats, fleet }: Pick<OpenFleetConfig, 'nats' | 'fleet'>) {
  const connection = await nats;
  if (connection.isClosed()) throw new FleetError('the connection to NATS was closed');
  if (!connection.info) await whenConnected(connection);
  requireVersion(connection, OLDEST, 'a fleet');
  const jsm = await jetstreamManager(connection, { checkAPI: false });
  return { nats: connection, names: fleetNames(fleet), js: jetstream(connection), jsm };
}

function requireVersion({ info }: NatsConnection, oldest: readonly [number, number], what: string): void {
  // It is lost again.
  if (!info) return;
  const { version } = info;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  throw new FleetError(`${what} needs NATS ${oldest.join('.')} or later; this server has ${version}`);
}

/** The stream as this library creates it. */
function streamConfig({ stream, stored, live }: FleetNames, config: StreamLimits) {
  const { replicas = 1, maxAge = MAX_AGE, maxBytes = -1 } = config;
  return {
    name: stream,
    description: 'Live events of identities, stored by lobby-rx',
    subjects: [`${stored}.*.*`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(maxAge),
    max_bytes: maxBytes,
    num_replicas: replicas,
    allow_direct: true,
    republish: { src: `${stored}.>`, dest: `${live}.>` },
  };
}

async function requireStream(
  jsm: JetStreamManager,
  names: FleetNames,
  limits: StreamLimits,
): Promise<StreamInfo> {
  const found = () => jsm.streams.info(names.stream);
  const info = await found().catch(async (error: unknown) => {
    if (!isApiError(error, JetStreamApiCodes.StreamNotFound)) throw error;
    try {
      return await jsm.streams.add(streamConfig(names, limits));
    } catch (failed) {
      // Another worker may have created it at the same time.
      return found().catch(() => {
        throw failed;
      });
    }
  });
  const problem = problemOf(info.config, names);
  if (problem) throw new FleetError(problem);
  return info;
}

/** What is wrong with a stream that exists already. */
function problemOf(config: Partial<StreamConfig>, names: FleetNames): string | undefined {
  const wanted = streamConfig(names, {});
  const needs = (what: string) =>
    `the stream ${names.stream} must ${what}: change it, or delete it, so that it is created again`;
  if (!config.subjects?.some(subject => subject === wanted.subjects[0] || subject === wanted.republish.src))
    return needs(`have the subject ${wanted.subjects[0]}`);
  if (config.republish?.src !== wanted.republish.src || config.republish.dest !== wanted.republish.dest)
    return needs(`republish ${wanted.republish.src} to ${wanted.republish.dest}`);
  if (config.republish.headers_only) return needs('republish whole messages, not only their headers');
  if (!config.allow_direct) return needs('allow direct gets (allow_direct)');
  if (config.retention !== RetentionPolicy.Limits) return needs('have the retention policy limits');
  if (config.discard === DiscardPolicy.New) return needs('discard old messages, not new ones');
  if ((config.max_msgs_per_subject ?? 0) > 0)
    return needs('not limit the messages of a subject (max_msgs_per_subject)');
  return undefined;
}

async function requireBucket(
  js: JetStreamClient,
  jsm: JetStreamManager,
  bucket: string,
  replicas: number,
): Promise<KV> {
  const kvm = new Kvm(js);
  const exists = await jsm.streams.info(`KV_${bucket}`).then(
    () => true,
    (error: unknown) => {
      if (isApiError(error, JetStreamApiCodes.StreamNotFound)) return false;
      throw error;
    },
  );
  return exists
    ? kvm.open(bucket, { allow_direct: true })
    : kvm.create(bucket, { history: 1, allow_direct: true, storage: StorageType.File, replicas });
}
