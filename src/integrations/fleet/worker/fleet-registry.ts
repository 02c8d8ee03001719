import type { Observable } from 'rxjs';
import type { Heartbeat } from '../fleet-event.js';
import type { Participant } from './assign-shards.js';
import type { FleetCheckpoint } from './fleet-log.js';

/** Who has which shard: it follows from who is alive. */
export interface Shares {
  readonly workers: readonly Participant[];
  /** By shard: the index of its worker. */
  readonly owners: readonly number[];
  /** Who had a part in the shares before these, and has been silent for a lease. */
  readonly silent: readonly string[];
}

/** The shares of a fleet of which nothing is known yet. */
export const NO_SHARES: Shares = { workers: [], owners: [], silent: [] };

/** What identities a worker was given: how many, and a number that is another one for others. */
export interface GivenIdentities {
  readonly count: number;
  readonly hash: number;
}

/** What a worker says of itself to the others. */
export interface Presence extends Participant {
  /** A number for each address that it polls from: who polls from the same one shares its rate. */
  readonly addresses: readonly number[];
  /** None if it asks for those of a shard. */
  readonly given: GivenIdentities | undefined;
}

/** Who is alive. */
export interface Present {
  /** A worker that was given other identities a moment ago may be in it twice. */
  readonly workers: readonly Presence[];
  /** 0 at first, and higher whenever who is alive has been forgotten before its time. */
  readonly list: number;
}

/** Up to where an identity has nothing new after one of its records. */
export interface BareCheckpoint extends FleetCheckpoint {
  /** The position of that record. */
  readonly sequence: number;
}

/**
 * By identity: indexes that are newer than those of the last records, of identities without news.
 */
export type BareCheckpoints = Readonly<Record<string, BareCheckpoint>>;

/** What NATS keeps of a fleet besides its records. Who is alive is forgotten after a lease. */
export interface FleetRegistry {
  /**
   * Emits when workers have come or gone: who says so that it leaves, or an empty text. It may miss
   * some.
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
  storeCheckpoints(shard: number, places: BareCheckpoints): Observable<unknown>;
}
