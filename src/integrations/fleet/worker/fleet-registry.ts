import type { Observable } from 'rxjs';
import type { Checkpoint } from '../../../stream/index.js';
import type { Heartbeat } from '../fleet-event.js';
import type { Participant } from './assign-shards.js';

/** Who has which shard: what the leader of a fleet has decided, and all others follow. */
export interface Shares {
  /** Higher than that of all shares before. */
  readonly epoch: number;
  readonly workers: readonly Participant[];
  /** By shard: the index of its worker. */
  readonly owners: readonly number[];
  /** Who had a part in the shares before these, and has been silent for a lease. */
  readonly silent: readonly string[];
}

/** The shares of a fleet that has none yet, or whose shares are lost. */
export const NO_SHARES: Shares = { epoch: 0, workers: [], owners: [], silent: [] };

/** Shares as they are stored. The revision is 0 if there are none. */
export interface StoredShares {
  readonly revision: number;
  readonly shares: Shares;
}

/** Who is alive. */
export interface Present {
  readonly workers: readonly Participant[];
  /** 0 at first, and higher whenever who is alive has been forgotten before its time. */
  readonly list: number;
}

/** Up to where an identity has nothing new after one of its records. */
export interface IdlePlace extends Checkpoint {
  /** The position of that record. */
  readonly sequence: number;
}

/** By identity: indexes that are newer than those of the last records, of identities without news. */
export type IdlePlaces = Readonly<Record<string, IdlePlace>>;

/** What NATS keeps of a fleet besides its records. Whoever leads, and who is alive, is forgotten after a lease. */
export interface FleetRegistry {
  /** Emits when shares have been stored. It may miss some. */
  readonly changed$: Observable<unknown>;
  /** Says that a worker is alive. Emits whether another process has its name, and was there before. */
  present(beat: Heartbeat): Observable<boolean>;
  /**
   * Leads the fleet, with the shares of an epoch, if no other worker does. Emits whether this one does, and the epoch of the leader's shares. It
   * is not their revision: revisions begin again in a bucket that was lost.
   */
  lead(epoch: number): Observable<{ readonly isMine: boolean; readonly epoch: number }>;
  /** As `lead`, and all others look at once. */
  announce(epoch: number): Observable<unknown>;
  alive(): Observable<Present>;
  read(): Observable<StoredShares>;
  /** Stores shares if those that are stored still have this revision. Emits the new revision, or undefined if they do not. */
  store(shares: Shares, revision: number): Observable<number | undefined>;
  /** The worker is not there any more, nor does it lead: all others look at once. */
  leave(me: Participant): Observable<unknown>;
  /** Emits the idle places of a shard as they were last stored. */
  places(shard: number): Observable<IdlePlaces>;
  storePlaces(shard: number, places: IdlePlaces): Observable<unknown>;
}
