import type { Observable } from 'rxjs';
import type { Checkpoint } from '../../../stream/index.js';
import type { Heartbeat } from '../fleet-event.js';

/** Up to where an identity has nothing new after one of its records. */
export interface IdlePlace extends Checkpoint {
  /** The position of that record. */
  readonly sequence: number;
}

/** Who polls the identities of a shard. */
export interface Claim {
  readonly shard: number;
  /** Undefined if no worker does. */
  readonly owner: string | undefined;
  /** Each owner has a higher one than those before. */
  readonly epoch: number;
}

/** By identity: indexes that are newer than those of the last records, of identities without news. */
export type IdlePlaces = Readonly<Record<string, IdlePlace>>;

/** What is known about workers and claims. A `revision` is that of a stored claim; 0 if there is none. */
export type RosterEntry =
  /** `storedAt` is in ms, by the clock of what stores it. */
  | { readonly kind: 'beat'; readonly beat: Heartbeat; readonly storedAt: number }
  | { readonly kind: 'left'; readonly worker: string }
  | { readonly kind: 'claim'; readonly claim: Claim; readonly revision: number }
  /** All that was known at the start has been emitted. */
  | { readonly kind: 'ready' };

/** The workers of a fleet, and which shards they have claimed. */
export interface FleetRoster {
  /** Emits what is known, then `ready`, then what changes: also what this worker itself tells. */
  readonly entries$: Observable<RosterEntry>;
  /** Tells that a worker is alive. */
  beat(beat: Heartbeat): Observable<unknown>;
  /** Tells that a worker has left. */
  leave(worker: string): Observable<unknown>;
  /** Stores a claim if that of its shard still has this revision. Emits the new revision, or undefined if it does not. */
  claim(claim: Claim, revision: number): Observable<number | undefined>;
  /** Emits the idle places of a shard as they were last stored. Nothing else is sent to a worker about them. */
  places(shard: number): Observable<IdlePlaces>;
  storePlaces(shard: number, places: IdlePlaces): Observable<unknown>;
}
