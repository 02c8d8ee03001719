import { shardOf } from '../worker/index.js';
import { nonEmptyString, type Guard } from '../../../error/index.js';

/** The name of a fleet. */
export const fleetName: Guard<string> = {
  name: 'a name of small letters, digits, _ and -',
  is: (u): u is string => nonEmptyString.is(u) && /^[a-z0-9_-]{1,32}$/.test(u),
};

/** The name of a worker, which is a part of a key. */
export const workerName: Guard<string> = {
  name: 'a name of at most 64 letters, digits, _ and -',
  is: (u): u is string => nonEmptyString.is(u) && /^[A-Za-z0-9_-]{1,64}$/.test(u),
};

/** The largest capacity of a worker. It keeps the sum over all workers a safe integer. */
export const MAX_CAPACITY = 1e9;

/** The names of the streams, subjects and buckets of a fleet. */
export interface FleetNames {
  readonly stream: string;
  /** The bucket with the number of shards, on which all workers agree. */
  readonly bucket: string;
  /** The bucket of positions. */
  readonly positions: string;
  /** The stream with a message of each live worker. It drops a message after a lease. */
  readonly alive: string;
  /** The prefix of the subjects under which workers report that they are alive. */
  readonly present: string;
  /** The subject under which workers report that a worker has come or gone, or that they leave. */
  readonly changed: string;
  /**
   * The prefix of the subjects of records. Do not subscribe to them, because records that are not
   * stored are published there, too.
   */
  readonly stored: string;
  /** The prefix of the subjects under which the stream republishes stored records. */
  readonly live: string;
}

export function fleetNames(fleet = 'lobby'): FleetNames {
  const upper = fleet.toUpperCase();
  return {
    stream: `${upper}_EVENTS`,
    bucket: `${upper}_FLEET`,
    positions: `${upper}_POSITIONS`,
    alive: `${upper}_ALIVE`,
    present: `${fleet}.alive`,
    changed: `${fleet}.changed`,
    stored: `${fleet}.events`,
    live: `${fleet}.live`,
  };
}

/** All streams of a fleet. The first one has its records. */
export function fleetStreams({ stream, alive, bucket, positions }: FleetNames): readonly string[] {
  return [stream, alive, `KV_${bucket}`, `KV_${positions}`];
}

/** The subject of an identity, below `stored` or `live`. */
export function subjectOf(shard: number | '*', identity_id: string): string {
  // Encodes characters that have a meaning in a subject. Ids of the service have none of them.
  const token = encodeURIComponent(identity_id).replace(/[.*]/g, char => (char === '.' ? '%2E' : '%2A'));
  return `${shard}.${token}`;
}

/**
 * The subjects of all records, of those of one shard, or of those of one identity. The last one
 * includes records from before the number of shards was changed.
 */
export function storedSubjects(
  { stored }: FleetNames,
  { shard, identity_id }: { readonly shard?: number; readonly identity_id?: string } = {},
): string {
  if (identity_id !== undefined) return `${stored}.${subjectOf('*', identity_id)}`;
  return `${stored}.${shard ?? '*'}.*`;
}

/** The subject under which the records of an identity are stored. */
export function storedSubject({ stored }: FleetNames, identity_id: string, shards: number): string {
  return `${stored}.${subjectOf(shardOf(identity_id, shards), identity_id)}`;
}

/** The id of the identity that a subject belongs to. */
export function identityOf(subject: string): string {
  const token = subject.slice(subject.lastIndexOf('.') + 1);
  try {
    return decodeURIComponent(token);
  } catch {
    // The fleet makes no such subject.
    return token;
  }
}
