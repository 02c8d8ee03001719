import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { ObservableInput } from 'rxjs';
import type { ClientConfig } from '../../client/index.js';
import {
  aFunction,
  checkOptions,
  definedOptions,
  duration,
  InputError,
  milliseconds,
  nonEmptyString,
  observableInput,
  positiveInteger,
  type Guard,
  type Options,
} from '../../error/index.js';
import { fleetName, MAX_CAPACITY, natsConnection, workerName, type Nats } from './nats/index.js';

/**
 * The options of {@link runFleet}. `nats`, `client`, and `identities$` or `identitiesOf` are
 * required. All others are optional.
 */
export interface FleetConfig {
  /**
   * A connection of `@nats-io/transport-node`, or the promise of one. The fleet does not close it.
   * Close it yourself when the fleet has ended.
   */
  readonly nats: Nats;
  /**
   * The ids of the identities that the fleet is to follow. Emit all of them each time. Every worker
   * of a fleet has to get the same list.
   */
  readonly identities$?: ObservableInput<Iterable<string>>;
  /**
   * Used instead of `identities$` if the list is too long for one worker. Called for each shard
   * that the worker gets, it returns the identities of that shard. Emit all of them each time.
   * `shardOf(identity_id, shards)` is the shard of an identity. An id of another shard is an
   * `InputError`.
   */
  readonly identitiesOf?: (shard: number) => ObservableInput<Iterable<string>>;
  /**
   * Returns the client options for an identity. They include its token and the URL of the service.
   */
  readonly client: (identity_id: string) => ClientConfig;
  /**
   * The number of shards that the identities are divided into. Each shard has one worker. The first
   * worker of a fleet fixes the number. Only `setShards` changes it. Default 256, which is good for
   * a hundred thousand identities.
   */
  readonly shards?: number;
  /**
   * If a worker is silent for this time, in ms, others take over its shards. All workers have to
   * have the same. Default 10,000.
   */
  readonly lease?: number;
  /**
   * How many identities this worker is made for. The shards are assigned in proportion to it.
   * Default 10,000.
   */
  readonly capacity?: number;
  /**
   * The name of this worker. No two workers of a fleet may have the same. Default: the name of the
   * host, followed by random characters.
   */
  readonly name?: string;
  /**
   * The name of the fleet, for a server with several fleets. Default `lobby`, whose stream is
   * `LOBBY_EVENTS`.
   */
  readonly fleet?: string;
  /**
   * How many requests to send in a minute, from each address. Default 120. The service serves 1,920
   * in 15 minutes, which is 128 a minute.
   */
  readonly requestsPerMinute?: number;
  /**
   * A name of your choice for the outgoing address that the service sees. Workers with the same
   * name share `requestsPerMinute`, as they should behind one NAT. Default: each worker has another
   * address.
   */
  readonly address?: string;
  /**
   * IP addresses of this machine to send requests from. Each has its own budget, which workers of
   * the same `address` share. Default: the machine chooses the address.
   */
  readonly localAddresses?: readonly string[];
  /** How many servers keep the stream and the buckets, if this worker creates them. Default 1. */
  readonly replicas?: number;
  /**
   * How long the stream keeps events, in ms, if this worker creates it. Default 86,400,000, a day.
   */
  readonly maxAge?: number;
  /**
   * How large the stream may become, in bytes, if this worker creates it. The oldest events are
   * removed first. Default: without a limit.
   */
  readonly maxBytes?: number;
  /**
   * When this emits, the worker gives up its shards, emits `drained` and completes. Others take the
   * shards at once. It takes a lease at most, even if NATS does not answer.
   */
  readonly drain$?: ObservableInput<unknown>;
}

const DEFAULTS = { lease: 10_000, capacity: 10_000, requestsPerMinute: 120 };

/** Each subject names its shard, and each worker keeps the owner of every shard. */
const MAX_SHARDS = 65_536;
/** How many shards a fleet may have. */
export const shardCount: Guard<number> = {
  name: `an integer from 1 to ${MAX_SHARDS}`,
  is: (u): u is number => positiveInteger.is(u) && u <= MAX_SHARDS,
};

const MIN_LEASE_MS = 1_000;

/** The least `maxAge`. The service keeps events for five minutes. */
const LEAST_MAX_AGE_MS = 600_000;

/** The greatest `maxAge`, 285 years. NATS counts the age in ns, with 63 bits. */
const GREATEST_MAX_AGE_MS = 9_000_000_000_000;

/** Twice the largest answer. */
const MIN_BYTES = 2 ** 24;

const OPTIONS: Options<FleetConfig> = {
  nats: natsConnection,
  identities$: observableInput,
  identitiesOf: aFunction,
  client: aFunction,
  shards: shardCount,
  lease: {
    name: `a number of milliseconds, at least ${MIN_LEASE_MS}`,
    is: u => milliseconds.is(u) && u >= MIN_LEASE_MS,
  },
  capacity: {
    name: `an integer from 1 to ${MAX_CAPACITY}`,
    is: u => positiveInteger.is(u) && u <= MAX_CAPACITY,
  },
  name: workerName,
  fleet: fleetName,
  requestsPerMinute: positiveInteger,
  address: nonEmptyString,
  localAddresses: {
    name: 'a list of IP addresses, at least one',
    is: u =>
      Array.isArray(u) &&
      u.length > 0 &&
      u.every(address => typeof address === 'string' && isIP(address) > 0),
  },
  replicas: positiveInteger,
  maxAge: {
    name: `a number of milliseconds, at least ${LEAST_MAX_AGE_MS}, and at most ${GREATEST_MAX_AGE_MS}`,
    is: u => duration.is(u) && u >= LEAST_MAX_AGE_MS && u <= GREATEST_MAX_AGE_MS,
  },
  maxBytes: {
    name: `a number of bytes, at least ${MIN_BYTES}`,
    is: u => positiveInteger.is(u) && u >= MIN_BYTES,
  },
  drain$: observableInput,
};

/**
 * A {@link FleetConfig} with the defaults of the worker filled in. Options of the fleet itself,
 * such as `shards`, may be missing.
 */
export type FleetSettings = FleetConfig & Required<Pick<FleetConfig, keyof typeof DEFAULTS | 'name'>>;

/** Fills in the defaults. Throws an `InputError` if an option is missing, unknown or invalid. */
export function resolveFleetConfig(config: FleetConfig): FleetSettings {
  checkOptions(config, OPTIONS, '', ['nats', 'client']);
  const { identities$, identitiesOf } = config;
  if ((identities$ === undefined) === (identitiesOf === undefined))
    throw new InputError(
      'identities$',
      'given, or identitiesOf(shard) instead of it',
      identitiesOf ? 'both' : 'neither',
    );
  const settings = { ...DEFAULTS, name: defaultName(), ...definedOptions(config) };
  // NATS counts times in whole numbers.
  return { ...settings, lease: Math.round(settings.lease) };
}

function defaultName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 40);
  return `${host}-${randomUUID().slice(0, 8)}`;
}
