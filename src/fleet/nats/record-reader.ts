import type { MsgHdrs } from '@nats-io/transport-node';
import { RawEventList } from '../../protocol/index.js';
import type { Gap } from '../../stream/index.js';
import { shardOf } from '../worker/index.js';
import type { StreamMessage } from '../messages-in-order.js';
import { identityOf, subjectOf } from './fleet-names.js';
import type { OpenFleet } from './open-fleet.js';
import { readPart, readRecord } from './record-headers.js';

/** A message of the stream of a fleet: a record, or a part of one. */
export interface FleetMessage extends StreamMessage {
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

/** A record as it is stored. */
export interface StoredRecord {
  readonly sequence: number;
  readonly identity_id: string;
  readonly answer: RawEventList;
  readonly gap: Gap | undefined;
  /** The position of the record of the same identity before it; 0 if there is none. */
  readonly after: number;
}

/** Reads what a fleet has stored. */
export class RecordReader {
  readonly #fleet: OpenFleet;

  constructor(fleet: OpenFleet) {
    this.#fleet = fleet;
  }

  /** The subjects of all identities, of those in a shard, or of one. */
  subjects(of: { readonly shard?: number; readonly identity_id?: string } = {}): string {
    const { names, shards } = this.#fleet;
    const { shard, identity_id } = of;
    if (identity_id !== undefined)
      return `${names.stored}.${subjectOf(shardOf(identity_id, shards), identity_id)}`;
    return `${names.stored}.${shard ?? '*'}.*`;
  }

  /** The first message at a position or after it. */
  async next(subjects: string, from: number): Promise<FleetMessage | undefined> {
    const { jsm, names } = this.#fleet;
    const stored = await jsm.direct.getMessage(names.stream, { seq: from, next_by_subj: subjects });
    if (!stored) return undefined;
    return { sequence: stored.seq, subject: stored.subject, headers: stored.header, data: stored.data };
  }

  /** The position of the last message of an identity; 0 if there is none. */
  async lastOf(identity_id: string): Promise<number> {
    const { jsm, names } = this.#fleet;
    const last_by_subj = this.subjects({ identity_id });
    return (await jsm.direct.getMessage(names.stream, { last_by_subj }))?.seq ?? 0;
  }

  /** The positions of the first and the last message of the stream. */
  async range(): Promise<{ readonly first: number; readonly last: number }> {
    const { jsm, names } = this.#fleet;
    const { state } = await jsm.streams.info(names.stream);
    return { first: state.first_seq, last: state.last_seq };
  }

  /** The record that ends with a message; undefined if it is only a part of one, or none of this library. */
  async read({ sequence, subject, headers, data }: FleetMessage): Promise<StoredRecord | undefined> {
    const { jsm, names } = this.#fleet;
    const record = readRecord(headers);
    if (!record) return undefined;
    const { gap, after } = record;
    const texts = [data];
    for (let { part: seq } = record; seq > 0;) {
      const part = await jsm.direct.getMessage(names.stream, { seq });
      if (part) texts.unshift(part.data);
      seq = readPart(part?.header)?.part ?? 0;
    }
    const read = { sequence, identity_id: identityOf(subject), after };
    const answer = answerIn(Buffer.concat(texts).toString());
    if (answer) return { ...read, answer, gap };
    // Its first parts have expired a moment ago: its events are missing.
    const missing: Gap = { reason: 'silence', at: Date.now(), index: undefined };
    return { ...read, answer: { events: [], watch: { index: '' } }, gap: gap ?? missing };
  }
}

function answerIn(text: string): RawEventList | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return RawEventList.is(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}
