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
 * The options of {@link runFleet}. `nats`, `client`, and `identities$` or `identities` are
 * required; everything else is optional.
 */
export interface FleetConfig {
  /**
   * A connection of `@nats-io/transport-node`, or the promise of one. It stays yours: close it when
   * the fleet has ended.
   */
  readonly nats: Nats;
  /**
   * The ids of the identities that the fleet is to follow: all of them each time. Every worker of a
   * fleet has to get the same.
   */
  readonly identities$?: ObservableInput<Iterable<string>>;
  /**
   * Instead of `identities$`, for more than a worker should know: returns those of a shard, all of
   * them each time. It is called for each shard that the worker gets.
   * `shardOf(identity_id, shards)` is the shard of an identity; others are an `InputError`.
   */
  readonly identities?: (shard: number) => ObservableInput<Iterable<string>>;
  /**
   * Returns how to reach the service for an identity: its token, the URL, and any other option of a
   * client.
   */
  readonly client: (identity_id: string) => ClientConfig;
  /**
   * Into how many shards the identities are divided, each of which one worker holds. The first
   * worker decides it for the life of the fleet. Default 256, which is good for a hundred thousand
   * identities.
   */
  readonly shards?: number;
  /**
   * After how long others take over from a worker that is silent, in ms; all workers have the same.
   * Default 10,000.
   */
  readonly lease?: number;
  /**
   * How many identities this worker is made for: workers share the shards in proportion to it.
   * Default 10,000.
   */
  readonly capacity?: number;
  /**
   * The name of this worker. No two of a fleet may have the same. Default: the name of the host,
   * and a random one.
   */
  readonly name?: string;
  /**
   * The name of the fleet, if there are several on the server. Default `lobby`: the stream is
   * `LOBBY_EVENTS`.
   */
  readonly fleet?: string;
  /**
   * How many requests to send in a minute, from each address. Default 120: the service serves 1,920
   * in 15 minutes.
   */
  readonly requestsPerMinute?: number;
  /**
   * The outgoing address that the service sees, by any name: workers behind the same NAT that name
   * it share `requestsPerMinute`. Default: each worker has another address.
   */
  readonly address?: string;
  /**
   * IP addresses of this machine to send requests from. Each has its own budget, which workers of
   * the same `address` share. Default: what the machine chooses.
   */
  readonly localAddresses?: readonly string[];
  /** How many servers keep the stream and the buckets, if this worker creates them. Default 1. */
  readonly replicas?: number;
  /**
   * How long the stream keeps events, in ms, if this worker creates it. Default 86,400,000: a day.
   */
  readonly maxAge?: number;
  /**
   * How large the stream may become, in bytes, if this worker creates it: the oldest events go
   * first. Default: without a limit.
   */
  readonly maxBytes?: number;
  /**
   * When this emits, the worker gives up its shards, emits `drained` and completes: others go on at
   * once. It takes a lease at most, even if NATS does not answer.
   */
  readonly drain$?: ObservableInput<unknown>;
}

const DEFAULTS = { lease: 10_000, capacity: 10_000, requestsPerMinute: 120 };

/** A shard is a part of a subject, and a number in the shares of all workers. */
const MAX_SHARDS = 65_536;
/** How many shards a fleet may have. */
export const shardCount: Guard<number> = {
  name: `an integer from 1 to ${MAX_SHARDS}`,
  is: (u): u is number => positiveInteger.is(u) && u <= MAX_SHARDS,
};

const MIN_LEASE_MS = 1_000;

/** The service keeps events for five minutes. */
const MIN_AGE_MS = 600_000;

/** NATS counts it in ns, with 63 bits: 285 years. */
const MAX_AGE_MS = 9_000_000_000_000;

/** Twice the largest answer. */
const MIN_BYTES = 2 ** 24;

const OPTIONS: Options<FleetConfig> = {
  nats: natsConnection,
  identities$: observableInput,
  identities: aFunction,
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
    name: `a number of milliseconds, at least ${MIN_AGE_MS}, and at most ${MAX_AGE_MS}`,
    is: u => duration.is(u) && u >= MIN_AGE_MS && u <= MAX_AGE_MS,
  },
  maxBytes: {
    name: `a number of bytes, at least ${MIN_BYTES}`,
    is: u => positiveInteger.is(u) && u >= MIN_BYTES,
  },
  drain$: observableInput,
};

/** A {@link FleetConfig} with its defaults filled in, but for those of the fleet itself. */
export type FleetSettings = FleetConfig & Required<Pick<FleetConfig, keyof typeof DEFAULTS | 'name'>>;

/** Fills in the defaults. Throws an `InputError` if an option is missing, unknown or invalid. */
export function fleetSettings(config: FleetConfig): FleetSettings {
  checkOptions(config, OPTIONS, '', ['nats', 'client']);
  const { identities$, identities } = config;
  if ((identities$ === undefined) === (identities === undefined))
    throw new InputError(
      'identities$',
      'given, or identities(shard) instead of it',
      identities ? 'both' : 'neither',
    );
  const settings = { ...DEFAULTS, name: defaultName(), ...definedOptions(config) };
  // Times of NATS are whole.
  return { ...settings, lease: Math.round(settings.lease) };
}

function defaultName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 40);
  return `${host}-${randomUUID().slice(0, 8)}`;
}
