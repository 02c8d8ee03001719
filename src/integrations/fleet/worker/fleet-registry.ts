import type { Observable } from 'rxjs';
import type { Heartbeat } from '../fleet-event.js';
import type { Participant } from './assign-shards.js';
import type { FleetCheckpoint } from './fleet-log.js';

/** The owner of each shard. It depends only on the workers that are alive. */
export interface Shares {
  readonly workers: readonly Participant[];
  /** By shard: the index of its worker. */
  readonly owners: readonly number[];
  /** The workers that had a part in the shares before these, and were silent for a lease. */
  readonly silent: readonly string[];
}

/** The shares of a fleet of which nothing is known yet. */
export const NO_SHARES: Shares = { workers: [], owners: [], silent: [] };

/** Describes the identities that a worker was given: their number, and a hash of their ids. */
export interface GivenIdentities {
  readonly count: number;
  readonly hash: number;
}

/** What a worker tells the others about itself. */
export interface Presence extends Participant {
  /**
   * A number for each address that it polls from: all workers with the same number share its rate.
   */
  readonly addresses: readonly number[];
  /** `undefined` if it asks for the identities of a shard. */
  readonly given: GivenIdentities | undefined;
}

/** The workers that are alive. */
export interface Present {
  /** A worker that was given other identities a moment ago may be in it twice. */
  readonly workers: readonly Presence[];
  /** Starts at 0, and increases each time NATS loses the list of live workers early. */
  readonly list: number;
}

/** A newer index of an identity that has nothing new since one of its records. */
export interface BareCheckpoint extends FleetCheckpoint {
  /** The position of that record. */
  readonly sequence: number;
}

/** By identity. */
export type BareCheckpoints = Readonly<Record<string, BareCheckpoint>>;

/** What NATS keeps of a fleet besides its records. It forgets a worker after a lease. */
export interface FleetRegistry {
  /**
   * Emits when workers have come or gone: the name of a worker that leaves, or an empty text. It
   * may miss some.
   */
  readonly changed$: Observable<string>;
  /**
   * Says that a worker is alive. Emits whether another process has its name, and was there before.
   */
  present(beat: Heartbeat, me: Presence): Observable<boolean>;
  /** All others look at once. */
  announce(): Observable<unknown>;
  alive(): Observable<Present>;
  /** The worker is not there any more: all others look at once. */
  leave(worker: string): Observable<unknown>;
  /** Emits the bare checkpoints of a shard as they were last stored. */
  checkpoints(shard: number): Observable<BareCheckpoints>;
  storeCheckpoints(shard: number, checkpoints: BareCheckpoints): Observable<unknown>;
}
