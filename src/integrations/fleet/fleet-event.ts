import type { Gap } from '../../stream/index.js';

/** What a worker tells the others about itself, several times in a lease. */
export interface Heartbeat {
  /** Its name. */
  readonly worker: string;
  /** Different for each process that has had this name: when it was started, and something random. */
  readonly instance: string;
  /** How many identities it is made for: workers share the shards in proportion to it. */
  readonly capacity: number;
  /** How many shards it holds. */
  readonly shards: number;
  /** How many identities it follows. */
  readonly identities: number;
  /** How many of them are live. */
  readonly live: number;
  /** How many of them have failed at their last poll. */
  readonly retrying: number;
  /** How many events it has stored since it started. */
  readonly events: number;
  /** How many answers it has that NATS has not stored yet. */
  readonly unstored: number;
  /** How many polls wait until the rate limit permits them. */
  readonly waiting: number;
}

/**
 * What happens in a fleet, as one of its workers sees it.
 *
 * - `beat`: a worker, this one or another, is alive, and tells what it does. It comes several times in a lease.
 * - `worker`: a worker has joined, has left, or has been silent for a lease.
 * - `ready`: this worker holds its share of the shards for the first time.
 * - `drained`: it has given up everything, since `drain$` has emitted. It is the last event.
 * - `claimed`: this worker has begun to follow the identities of a shard; `from` is who was silent, if it took the shard by force.
 * - `released`: it has given up a shard to another worker, or because it ends.
 * - `lost`: another worker has taken a shard from it, since it was silent for too long itself.
 * - `refused`: another worker had stored what this one was about to store. Nothing is lost or doubled.
 * - `gap`: events of an identity may have been missed. It is stored, too.
 * - `retrying`: polls of so many `identities` fail, and are sent again; `error` is that of the last one that began to. It comes several
 *   times in a lease, as long as they do.
 * - `failed`: the service refuses to answer for an identity; it is asked again in `retryIn` ms.
 * - `limited`: polls wait: the service has said so (429), or `requestsPerMinute` is too low for as many identities. `wait` is how
 *   long, in ms; 0 if they no longer do.
 * - `trouble`: NATS did not store or answer something. It is retried.
 */
export type FleetEvent =
  | { readonly kind: 'beat'; readonly beat: Heartbeat }
  | { readonly kind: 'worker'; readonly worker: string; readonly state: 'joined' | 'left' | 'silent' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'drained' }
  | {
      readonly kind: 'claimed';
      readonly shard: number;
      readonly epoch: number;
      readonly identities: number;
      readonly from: string | undefined;
    }
  | { readonly kind: 'released'; readonly shard: number }
  | { readonly kind: 'lost'; readonly shard: number; readonly to: string | undefined }
  | { readonly kind: 'refused'; readonly identity_id: string }
  | { readonly kind: 'gap'; readonly identity_id: string; readonly gap: Gap }
  | {
      readonly kind: 'retrying';
      readonly identity_id: string;
      readonly error: unknown;
      readonly identities: number;
    }
  | {
      readonly kind: 'failed';
      readonly identity_id: string;
      readonly error: unknown;
      readonly retryIn: number;
    }
  | {
      readonly kind: 'limited';
      readonly by: 'service' | 'requestsPerMinute';
      readonly wait: number;
      readonly waiting: number;
    }
  | { readonly kind: 'trouble'; readonly error: unknown };
