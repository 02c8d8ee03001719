import type { Observable } from 'rxjs';
import type { RawEventList } from '../../../protocol/index.js';
import type { Gap } from '../../../stream/index.js';

/**
 * Where an identity goes on. It has no time of a machine, since their clocks differ and are set.
 */
export interface FleetCheckpoint {
  readonly index: string;
  /** When it was reached, on the monotonic clock of this process. It may be negative. */
  readonly since: number;
}

/**
 * One answer of the service. It has exactly what followed the checkpoint of the record before it,
 * so that nothing is lost or doubled, whichever worker polls.
 */
export interface FleetRecord {
  readonly identity_id: string;
  /** As the service sent it. */
  readonly answer: RawEventList;
  /** Where to go on after it. */
  readonly checkpoint: FleetCheckpoint;
  /** Events may be missing before it. */
  readonly gap: Gap | undefined;
  /** Different for each record: by it, a worker recognizes what it has stored itself. */
  readonly key: string;
}

/** The last record of an identity. */
export interface LastRecord extends Pick<FleetRecord, 'checkpoint' | 'key'> {
  /** Its position in the log. */
  readonly sequence: number;
}

/** Where the next record of an identity is to be appended. */
export interface FleetHead {
  /** The last message of the identity, or 0. It may be a part of an unfinished record. */
  readonly last: number;
  readonly record: LastRecord | undefined;
}

/**
 * The outcome of an append. It is a conflict if something has been appended after the head that it
 * expects.
 */
export type Appended =
  | { readonly kind: 'stored'; readonly sequence: number }
  | { readonly kind: 'conflict'; readonly head: FleetHead };

/** The records of all identities, each in its own order. */
export interface FleetLog {
  /** Emits when NATS has lost records that it had stored. */
  readonly lost$: Observable<unknown>;
  /** Emits where the records of an identity end. */
  head(identity_id: string): Observable<FleetHead>;
  /**
   * Appends a record if `head` is still where the records of its identity end. If it fails, the
   * record may be stored or not. If it is, appending it again is a conflict.
   */
  append(record: FleetRecord, head: FleetHead): Observable<Appended>;
}
