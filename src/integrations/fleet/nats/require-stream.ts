import {
  DiscardPolicy,
  JetStreamApiCodes,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { Kvm, type KV } from '@nats-io/kv';
import { nanos } from '@nats-io/transport-node';
import { InputError } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import type { FleetNames } from './fleet-names.js';
import { isApiError } from './nats-problem.js';

/** How long records are kept by default, in ms. */
const DEFAULT_MAX_AGE_MS = 24 * 3_600_000;

/** The limits of a stream that does not exist yet. */
export interface StreamLimits {
  readonly replicas?: number | undefined;
  readonly maxAge?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** The configuration of a stream that this library creates. */
function streamConfig({ stream, stored, live }: FleetNames, config: StreamLimits) {
  const { replicas = 1, maxAge = DEFAULT_MAX_AGE_MS, maxBytes = -1 } = config;
  return {
    name: stream,
    description: 'Live events of identities, stored by lobby-rx',
    subjects: [`${stored}.*.*`],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_age: nanos(Math.round(maxAge)),
    max_bytes: maxBytes,
    num_replicas: replicas,
    allow_direct: true,
    republish: { src: `${stored}.>`, dest: `${live}.>` },
  };
}

export async function requireStream(
  jsm: JetStreamManager,
  names: FleetNames,
  limits: StreamLimits,
): Promise<StreamInfo> {
  const info = await foundOr(jsm, names.stream, () => jsm.streams.add(streamConfig(names, limits)));
  const problem = problemOf(info.config, names);
  if (problem) throw new FleetError(problem);
  return info;
}

/**
 * Says which limits of existing streams differ from those that a worker has been given. The streams
 * are not changed. The first one is the stream of records, and all have the same replicas.
 */
export function otherLimits(
  [stream, ...others]: readonly [StreamConfig, ...StreamConfig[]],
  names: FleetNames,
  limits: StreamLimits,
): string | undefined {
  const wanted = streamConfig(names, limits);
  const differences: string[] = [];
  const compare = (limit: keyof StreamLimits, config: StreamConfig, is: number, should: number) => {
    if (limits[limit] !== undefined && is !== should)
      differences.push(`${config.name} has ${limit} ${is}, not ${should}`);
  };
  compare('maxAge', stream, stream.max_age / 1e6, wanted.max_age / 1e6);
  compare('maxBytes', stream, stream.max_bytes, wanted.max_bytes);
  const byReplicas = differences.length;
  for (const config of [stream, ...others])
    compare('replicas', config, config.num_replicas, wanted.num_replicas);
  if (differences.length === 0) return undefined;
  const list = differences.join(', ');
  const how =
    differences.length > byReplicas ? 'change replicas with setReplicas, and the rest' : 'change it';
  return `the streams of the fleet stay as they are: ${list}: ${how} with nats stream edit, or the options of this worker`;
}

/** Says what is wrong with an existing stream. `undefined` if nothing is. */
export function problemOf(config: Partial<StreamConfig>, names: FleetNames): string | undefined {
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

/**
 * The stream of heartbeats. It drops each heartbeat after a lease, so the workers that it still has
 * are alive.
 */
export async function requirePresence(
  jsm: JetStreamManager,
  names: FleetNames,
  lease: number,
  replicas: number,
): Promise<StreamInfo> {
  const info = await foundOr(jsm, names.alive, () =>
    jsm.streams.add({
      name: names.alive,
      description: 'The live workers of a fleet of lobby-rx',
      subjects: [`${names.present}.>`],
      max_age: nanos(lease),
      max_msgs_per_subject: 1,
      duplicate_window: nanos(Math.min(lease, 1_000)),
      storage: StorageType.File,
      num_replicas: replicas,
    }),
  );
  if (info.config.max_age === nanos(lease)) return info;
  const stored = `${info.config.max_age / 1e6}, as the workers of this fleet have it; or delete the stream ${names.alive}`;
  throw new InputError('lease', stored, String(lease));
}

/** Finds a stream, or creates it. */
async function foundOr(
  jsm: JetStreamManager,
  stream: string,
  create: () => Promise<StreamInfo>,
): Promise<StreamInfo> {
  const found = () => jsm.streams.info(stream);
  return found().catch(async (error: unknown) => {
    if (!isApiError(error, JetStreamApiCodes.StreamNotFound)) throw error;
    try {
      return await create();
    } catch (failed) {
      // Another worker may have created it at the same time.
      return found().catch(() => {
        throw failed;
      });
    }
  });
}

/** The settings of a bucket. */
interface BucketSettings {
  /** How many servers keep the bucket, if it does not exist yet. */
  readonly replicas: number;
  /** Whether the nearest server may answer reads, instead of the leader of the cluster. */
  readonly allow_direct: boolean;
}

/** A bucket, with the config of its stream. */
export interface OpenBucket {
  readonly kv: KV;
  readonly config: StreamConfig;
}

/** Opens a bucket. Creates it if it does not exist. */
export async function requireBucket(
  js: JetStreamClient,
  jsm: JetStreamManager,
  bucket: string,
  { replicas, allow_direct }: BucketSettings,
): Promise<OpenBucket> {
  const kvm = new Kvm(js);
  const stream = `KV_${bucket}`;
  const { config } = await foundOr(jsm, stream, async () => {
    await kvm.create(bucket, { history: 1, allow_direct: true, storage: StorageType.File, replicas });
    return jsm.streams.info(stream);
  });
  return { kv: await kvm.open(bucket, { allow_direct }), config };
}
