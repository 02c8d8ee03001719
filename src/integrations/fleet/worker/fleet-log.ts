import type { Observable } from 'rxjs';
import type { RawEventList } from '../../../protocol/index.js';
import type { Gap } from '../../../stream/index.js';

/** Where an identity goes on. It has no time of a machine: those differ, and are set. */
export interface FleetCheckpoint {
  readonly index: string;
  /** Since when, on the monotonic clock of this process; it may be from before that began. */
  readonly since: number;
}

/**
 * What one answer of the service becomes. It has exactly what followed the checkpoint of the record
 * before it: so nothing is lost or doubled, whichever worker polls.
 */
export interface FleetRecord {
  readonly identity_id: string;
  /** As the service sent it. */
  readonly answer: RawEventList;
  /** Where to go on after it. */
  readonly checkpoint: FleetCheckpoint;
  /** What may be missing before it. */
  readonly gap: Gap | undefined;
  /** No other record has it: by it, a worker recognizes what it has stored itself. */
  readonly key: string;
}

/** The last record of an identity. */
export interface LastRecord extends Pick<FleetRecord, 'checkpoint' | 'key'> {
  /** Its position in the log. */
  readonly sequence: number;
}

/** Where the next record of an identity is to be appended. */
export interface FleetHead {
  /**
   * The last message of the identity, which may be a part of an unfinished record; 0 if there is
   * none.
   */
  readonly last: number;
  readonly record: LastRecord | undefined;
}

/**
 * What has become of an append. It is refused if something has been appended after the head that it
 * expects.
 */
export type Appended =
  | { readonly kind: 'stored'; readonly sequence: number }
  | { readonly kind: 'conflict'; readonly head: FleetHead };

/** The records of all identities, each in its own order. */
export interface FleetLog {
  /** Emits when records that had been stored are lost. */
  readonly lost$: Observable<unknown>;
  /** Emits where the records of an identity end. */
  head(identity_id: string): Observable<FleetHead>;
  /**
   * Appends a record if `head` is still where the records of its identity end. If it fails, the
   * record may be stored or not:
   * appended again, it is refused if it is.
   */
  append(record: FleetRecord, head: FleetHead): Observable<Appended>;
}
