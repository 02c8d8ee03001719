import type { Observable } from 'rxjs';
import type { RawEventList } from '../../../protocol/index.js';
import type { Gap } from '../../../stream/index.js';

/**
 * The checkpoint where an identity goes on. It has no wall-clock time, since the clocks of machines
 * differ and are set.
 */
export interface FleetCheckpoint {
  readonly index: string;
  /** When the index was reached, on the monotonic clock of this process. It may be negative. */
  readonly since: number;
}

/**
 * One answer of the service. It contains exactly the events after the checkpoint of the record
 * before it. So nothing is lost or duplicated, no matter which worker polls.
 */
export interface FleetRecord {
  readonly identity_id: string;
  /** As the service sent it. */
  readonly answer: RawEventList;
  /** The checkpoint after the answer. */
  readonly checkpoint: FleetCheckpoint;
  /** Set if events may be missing before the answer. */
  readonly gap: Gap | undefined;
  /** Unique for each record, so that a worker recognizes the records that it has stored itself. */
  readonly key: string;
}

/** The last record of an identity. */
export interface LastRecord extends Pick<FleetRecord, 'checkpoint' | 'key'> {
  /** Its position in the log. */
  readonly sequence: number;
}

/** The end of an identity's records, where the next one is to be appended. */
export interface FleetHead {
  /**
   * The position of the last message of the identity, or 0. The message may be a part of an
   * unfinished record.
   */
  readonly last: number;
  readonly record: LastRecord | undefined;
}

/**
 * The outcome of an append. It is a conflict if something has been appended after the expected
 * head.
 */
export type Appended =
  | { readonly kind: 'stored'; readonly sequence: number }
  | { readonly kind: 'conflict'; readonly head: FleetHead };

/** The records of all identities. The records of each identity are in order. */
export interface FleetLog {
  /** Emits when NATS has lost records that it had stored. */
  readonly lost$: Observable<unknown>;
  /** Emits the head of an identity. */
  head(identity_id: string): Observable<FleetHead>;
  /**
   * Appends a record if `head` is still the end of its identity's records. If this errors, the
   * record may have been stored or not. If it was, appending it again is a conflict.
   */
  append(record: FleetRecord, head: FleetHead): Observable<Appended>;
}
