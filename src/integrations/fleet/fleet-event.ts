import type { Gap } from '../../stream/index.js';

/** An identity whose last poll failed, or that the service rejects, and why. */
export interface FailingIdentity {
  readonly identity_id: string;
  readonly is: 'retrying' | 'rejected';
  readonly error: string;
}

/** A worker's report about itself. It comes four times in a lease. */
export interface Heartbeat {
  /** Its name. */
  readonly worker: string;
  /**
   * The start time of the process and a random id. It tells apart two processes with the same name.
   */
  readonly instance: string;
  /** How many identities it is meant to follow. The shards are assigned in proportion to it. */
  readonly capacity: number;
  /** How many shards it owns. */
  readonly shards: number;
  /**
   * How many identities it follows or should follow. If it has lost shards because NATS did not
   * answer, their identities count here until the shards have an owner.
   */
  readonly identities: number;
  /**
   * How many of them are live. The service holds or answers their polls, and NATS has stored all of
   * its answers. The last poll is not older than a poll may last.
   */
  readonly live: number;
  /** For how many of them the last poll failed. */
  readonly retrying: number;
  /** How many of them the service rejects. */
  readonly rejected: number;
  /** The last of those that are retried, and the last of those that are rejected. */
  readonly failing?: readonly FailingIdentity[];
  /** The number of events that it has stored since it started. */
  readonly events: number;
  /** The number of answers that NATS has not stored yet. */
  readonly unstored: number;
  /** The number of polls that wait for the rate limit. */
  readonly waiting: number;
  /** The largest delay of its timers since the last heartbeat, in ms. */
  readonly late: number;
}

/**
 * An event in a fleet, as one of its workers sees it.
 *
 * - `heartbeat`: the state of this worker. `stored` says whether NATS has stored that it is alive.
 * - `worker`: this worker or another one now owns a part of the shards (`joined`), has given up its
 *   part (`left`), or was `silent` for a lease.
 * - `ready`: this worker owns its part of the shards for the first time. It has polled all
 *   identities in them, except those that wait for the rate limit.
 * - `drained`: `drain$` has emitted, or `drainWorker` has named this worker, and it has given up
 *   everything. It is the last event.
 * - `assigned`: this worker has begun to follow the identities of a shard. `from` is the silent
 *   worker that owned the shard before, if it was taken over.
 * - `released`: this worker has given up a shard to another worker, or because it ends.
 * - `lost`: NATS has not answered this worker for three leases, so it has given up a shard. Others
 *   may have taken it.
 * - `conflict`: another worker had already stored a record when this one tried to. Nothing is lost
 *   or duplicated.
 * - `gap`: events of an identity may have been missed. The gap is stored, too.
 * - `retrying`: the polls of this many `identities` fail, and are sent again. `error` is that of
 *   the last failed poll. It comes several times in a lease, as long as polls fail.
 * - `identity_rejected`: the service rejects an identity. It is polled again in `retryIn` ms.
 * - `identities_differ`: for two leases, `worker` has had another list of identities than this one.
 *   Theirs has `theirs` identities and the own one `own`. Some may have no poll.
 * - `identities_error`: `identities` has failed for a `shard`, for example because your database is
 *   away. It is called again, with increasing waits.
 * - `overloaded`: this worker has too much to do. `by` says how it shows. `capacity`: it has more
 *   `identities` than its `capacity`. `late`: its timers are late by more than a second again and
 *   again, and so are the polls of its `identities`. `time`: this many `identities` have waited 200
 *   s for their first poll, and the service keeps events for 300 s. It comes once, when that
 *   begins.
 * - `rate_limited`: polls wait, because the service has answered 429, or because
 *   `requestsPerMinute` is too low for the number of identities. `wait` is how long they wait, in
 *   ms. It is 0 once they no longer wait.
 * - `nats_error`: NATS did not store or answer something, and it is retried. Or the stream in NATS
 *   has other limits than this worker's options. If answers of the service cannot be stored, it
 *   comes several times in a lease, and `identities` says for how many identities.
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
  | { readonly kind: 'identities_error'; readonly shard: number; readonly error: unknown }
  | { readonly kind: 'overloaded'; readonly by: 'capacity' | 'late' | 'time'; readonly identities: number }
  | {
      readonly kind: 'rate_limited';
      readonly by: 'service' | 'requestsPerMinute';
      readonly wait: number;
      readonly waiting: number;
    }
  | { readonly kind: 'nats_error'; readonly error: unknown; readonly identities?: number };
