import type { Gap } from '../../stream/index.js';

/** What a worker tells about itself, four times in a lease. */
export interface Heartbeat {
  /** Its name. */
  readonly worker: string;
  /**
   * Different for each process that has had this name: when it was started, and something random.
   */
  readonly instance: string;
  /** How many identities it is meant to follow: workers share the shards in proportion to it. */
  readonly capacity: number;
  /** How many shards it holds. */
  readonly shards: number;
  /**
   * How many identities it follows, or should: those of shards that it has lost because NATS did
   * not answer count until they have an owner.
   */
  readonly identities: number;
  /**
   * How many of them are live: the service holds their polls, or answers them, NATS has stored what
   * it said, and the last poll was sent no longer ago than a poll may last.
   */
  readonly live: number;
  /** How many of them have failed at their last poll. */
  readonly retrying: number;
  /** How many of them the service refuses to answer for. */
  readonly rejected: number;
  /** How many events it has stored since it started. */
  readonly events: number;
  /** How many answers it has that NATS has not stored yet. */
  readonly unstored: number;
  /** How many polls wait until the rate limit permits them. */
  readonly waiting: number;
  /** How late its timers were at worst since the last heartbeat, in ms. */
  readonly late: number;
}

/**
 * What happens in a fleet, as one of its workers sees it.
 *
 * - `heartbeat`: what this worker does now, and whether NATS has `stored` that it is alive.
 * - `worker`: a worker, this one or another, shares the shards now (`joined`), has given up its
 *   part (`left`), or was `silent` for a lease.
 * - `ready`: this worker holds its share of the shards for the first time, and has polled all
 *   identities in them that do not wait for the rate limit.
 * - `drained`: it has given up everything, since `drain$` has emitted. It is the last event.
 * - `assigned`: this worker has begun to follow the identities of a shard; `from` is who had it and
 *   was silent.
 * - `released`: it has given up a shard to another worker, or because it ends.
 * - `lost`: NATS has not answered it for three leases, so that others have a shard that it held.
 * - `conflict`: another worker had stored what this one was about to store. Nothing is lost or
 *   doubled.
 * - `gap`: events of an identity may have been missed. It is stored, too.
 * - `retrying`: the polls of this many `identities` fail, and are sent again. `error` is that of
 *   the last one that has failed. It comes several times in a lease, as long as polls fail.
 * - `identity_rejected`: the service refuses to answer for an identity; it is asked again in
 *   `retryIn` ms.
 * - `identities_differ`: a worker has been given `theirs` identities and this one `own`, or others,
 *   for two leases: some may have no poll.
 * - `overloaded`: this worker has more `identities` than its `capacity`; or its timers are late by
 *   more than a second again and again (`late`), and so are the polls of its `identities`; or this
 *   many of them have waited 200 s for their first poll (`time`), of the 300 s that the service
 *   keeps events. It comes when that begins.
 * - `rate_limited`: polls wait: the service has said so (429), or `requestsPerMinute` is too low
 *   for as many identities. `wait` is how long, in ms; 0 if they no longer do.
 * - `nats_error`: NATS did not store or answer something, which is retried; or keeps its stream
 *   with other limits than this worker's. If that are answers of the service, it comes several
 *   times in a lease, as long as they are not stored; `identities` is of how many.
 */
export type FleetEvent =
  | { readonly kind: 'heartbeat'; readonly heartbeat: Heartbeat; readonly stored: boolean }
  | { readonly kind: 'worker'; readonly worker: string; readonly state: 'joined' | 'left' | 'silent' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'drained' }
  | {
      readonly kind: 'assigned';
      readonly shard: number;
      readonly from: string | undefined;
    }
  | { readonly kind: 'released'; readonly shard: number }
  | { readonly kind: 'lost'; readonly shard: number }
  | { readonly kind: 'conflict'; readonly identity_id: string }
  | { readonly kind: 'gap'; readonly identity_id: string; readonly gap: Gap }
  | {
      readonly kind: 'retrying';
      readonly identity_id: string;
      readonly error: unknown;
      readonly identities: number;
    }
  | {
      readonly kind: 'identity_rejected';
      readonly identity_id: string;
      readonly error: unknown;
      readonly retryIn: number;
    }
  | {
      readonly kind: 'identities_differ';
      readonly worker: string;
      readonly theirs: number;
      readonly own: number;
    }
  | { readonly kind: 'overloaded'; readonly by: 'capacity' | 'late' | 'time'; readonly identities: number }
  | {
      readonly kind: 'rate_limited';
      readonly by: 'service' | 'requestsPerMinute';
      readonly wait: number;
      readonly waiting: number;
    }
  | { readonly kind: 'nats_error'; readonly error: unknown; readonly identities?: number };
