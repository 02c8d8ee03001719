import type { Observable } from 'rxjs';
import type { Heartbeat } from '../fleet-event.js';
import type { Participant } from './assign-shards.js';
import type { FleetCheckpoint } from './fleet-log.js';

/**
 * Describes the list of identities that a worker was given, by its length and a hash of the ids.
 */
export interface GivenIdentities {
  readonly count: number;
  readonly hash: number;
}

/** What a worker reports to the others about itself. */
export interface Presence extends Participant {
  /**
   * A number for each named address that it polls from. All workers with the same number share its
   * rate.
   */
  readonly addresses: readonly number[];
  /** `undefined` if the worker uses `identitiesOf(shard)`. */
  readonly given: GivenIdentities | undefined;
}

/** The workers that are alive. */
export interface Present {
  /** A worker whose list has just changed may be in it twice. */
  readonly workers: readonly Presence[];
  /** How often NATS has lost the list of live workers early. */
  readonly listLosses: number;
}

/** A newer index of an identity, for which no record was stored because nothing was new. */
export interface BareCheckpoint extends FleetCheckpoint {
  /**
   * The position and the key of the identity's last record before it. If NATS was set back, another
   * record may have that position.
   */
  readonly sequence: number;
  readonly key: string;
}

/** By identity. */
export type BareCheckpoints = Readonly<Record<string, BareCheckpoint>>;

/**
 * Everything that NATS keeps of a fleet besides its records. NATS drops a worker that was silent
 * for a lease.
 */
export interface FleetRegistry {
  /**
   * Emits when workers have come or gone. It emits the name of a worker that leaves, or `undefined`
   * for another change. It may miss some.
   */
  readonly changed$: Observable<string | undefined>;
  /**
   * Stores that a worker is alive. Emits whether another process has its name and was there before.
   */
  present(beat: Heartbeat, me: Presence): Observable<boolean>;
  /** Makes all others look at once. */
  announce(): Observable<unknown>;
  alive(): Observable<Present>;
  /** Removes the worker, and makes all others look at once. */
  leave(worker: string): Observable<unknown>;
  /** Emits the stored bare checkpoints of a shard. */
  checkpoints(shard: number): Observable<BareCheckpoints>;
  storeCheckpoints(shard: number, checkpoints: BareCheckpoints): Observable<unknown>;
}
