import { shardOf } from '../worker/index.js';
import { isWellFormed, nonEmptyString, type Guard } from '../../../error/index.js';

/** The name of a fleet. */
export const fleetName: Guard<string> = {
  name: 'a name of small letters, digits, _ and -',
  is: (u): u is string => nonEmptyString.is(u) && /^[a-z0-9_-]{1,32}$/.test(u),
};

/** The id of an identity, which is a part of a subject. */
export const identityId: Guard<string> = {
  name: 'the id of an identity: a string of 1 to 256 characters',
  is: (u): u is string => nonEmptyString.is(u) && u.length <= 256 && isWellFormed(u),
};

/** The name of a worker, which is a part of a key. */
export const workerName: Guard<string> = {
  name: 'a name of at most 64 letters, digits, _ and -',
  is: (u): u is string => nonEmptyString.is(u) && /^[A-Za-z0-9_-]{1,64}$/.test(u),
};

/** The largest capacity of a worker: the sum of all workers stays a safe integer. */
export const MAX_CAPACITY = 1e9;

/** What the streams, subjects and buckets of a fleet are called. */
export interface FleetNames {
  readonly stream: string;
  /** The bucket with the number of shards, on which all workers agree. */
  readonly bucket: string;
  /** The bucket of positions. */
  readonly positions: string;
  /** The stream with a message of each worker that is alive. It forgets them after a lease. */
  readonly alive: string;
  /** Where workers tell that they are alive. */
  readonly present: string;
  /** Where workers tell that one of them has come or gone, and that they leave. */
  readonly assigned: string;
  /** Where records are published. Do not subscribe to it: refused records are published, too. */
  readonly stored: string;
  /** Where the stream publishes what it has stored. */
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
    assigned: `${fleet}.assigned`,
    stored: `${fleet}.events`,
    live: `${fleet}.live`,
  };
}

/** The subject of an identity, below `stored` or `live`. */
export function subjectOf(shard: number | '*', identity_id: string): string {
  // Characters that mean something in a subject are encoded. An id of the service has none.
  const token = encodeURIComponent(identity_id).replace(/[.*]/g, char => (char === '.' ? '%2E' : '%2A'));
  return `${shard}.${token}`;
}

/**
 * The subjects under which the records of all identities are stored, of those in a shard, or of
 * one, also from before the number of shards was changed.
 */
export function storedSubjects(
  { stored }: FleetNames,
  { shard, identity_id }: { readonly shard?: number; readonly identity_id?: string } = {},
): string {
  return `${stored}.${identity_id === undefined ? `${shard ?? '*'}.*` : subjectOf('*', identity_id)}`;
}

/** The subject under which the records of an identity are stored. */
export function storedSubject({ stored }: FleetNames, identity_id: string, shards: number): string {
  return `${stored}.${subjectOf(shardOf(identity_id, shards), identity_id)}`;
}

/** The identity of a subject. */
export function identityOf(subject: string): string {
  const token = subject.slice(subject.lastIndexOf('.') + 1);
  try {
    return decodeURIComponent(token);
  } catch {
    // No id has this subject.
    return token;
  }
}
