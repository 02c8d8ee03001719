import { JetStreamApiCodes } from '@nats-io/jetstream';
import { defer, type Observable } from 'rxjs';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Appended, FleetHead, FleetLog, FleetRecord } from '../worker/index.js';
import { shardOf } from '../worker/index.js';
import { subjectOf } from './fleet-names.js';
import { isApiError, type OpenFleet } from './open-fleet.js';
import { natsProblem } from './nats-problem.js';
import { partHeaders, readPart, readRecord, recordHeaders } from './record-headers.js';

/** What a message has besides its data and our headers, in bytes: the headers of NATS. */
const RESERVED = 1_024;

/** The records of all identities in a stream. */
export class NatsLog implements FleetLog {
  readonly #fleet: OpenFleet;

  constructor(fleet: OpenFleet) {
    this.#fleet = fleet;
  }

  head(identity_id: string): Observable<FleetHead> {
    return defer(() => this.#head(identity_id).catch(rethrow));
  }

  append(record: FleetRecord, head: FleetHead): Observable<Appended> {
    return defer(() => this.#append(record, head).catch(rethrow));
  }

  #subject(identity_id: string): string {
    const { names, shards } = this.#fleet;
    return `${names.stored}.${subjectOf(shardOf(identity_id, shards), identity_id)}`;
  }

  async #head(identity_id: string): Promise<FleetHead> {
    const { jsm, names } = this.#fleet;
    const last = await jsm.direct.getMessage(names.stream, { last_by_subj: this.#subject(identity_id) });
    if (!last) return { last: 0, epoch: 0, record: undefined };
    const { epoch, after } = readPart(last.header);
    const own = readRecord(last.header);
    // The last message may be a part of a record that nobody has finished.
    const before = own || after === 0 ? null : await jsm.direct.getMessage(names.stream, { seq: after });
    const read = own ?? readRecord(before?.header);
    const sequence = own ? last.seq : after;
    return { last: last.seq, epoch, record: read && { ...read, sequence } };
  }

  async #append(record: FleetRecord, head: FleetHead): Promise<Appended> {
    const { identity_id, answer, epoch } = record;
    const subject = this.#subject(identity_id);
    const after = head.record?.sequence ?? 0;
    const positions: number[] = [];
    let last = head.last;
    try {
      const parts = this.#parts(JSON.stringify(answer), recordHeaders(record, after, []));
      for (const part of parts.slice(0, -1)) {
        last = await this.#publish(subject, part, partHeaders(epoch, after), last);
        positions.push(last);
      }
      const sequence = await this.#publish(
        subject,
        parts.at(-1)!,
        recordHeaders(record, after, positions),
        last,
      );
      return { kind: 'stored', sequence };
    } catch (error) {
      const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
      if (!isApiError(error, StreamWrongLastSequence, StreamWrongLastSequenceUnknown)) throw error;
      return { kind: 'refused', head: await this.#head(identity_id) };
    }
  }

  /** A text, cut so that each part fits into a message. */
  #parts(text: string, headers: MsgHdrs): readonly Uint8Array[] {
    const data = Buffer.from(text);
    const { nats } = this.#fleet;
    let room = (nats.info?.max_payload ?? 2 ** 20) - RESERVED;
    for (const [name, [value = '']] of headers) room -= name.length + value.length + 4;
    if (data.length <= room) return [data];
    // Of many parts, the last one lists the positions of all others.
    const size = Math.max(1_024, room - 20 * Math.ceil((2 * data.length) / room));
    const parts: Uint8Array[] = [];
    for (let start = 0; start < data.length; start += size) parts.push(data.subarray(start, start + size));
    return parts;
  }

  async #publish(subject: string, data: Uint8Array, headers: MsgHdrs, last: number): Promise<number> {
    const { js, names } = this.#fleet;
    const expect = { streamName: names.stream, lastSubjectSequence: last };
    const { seq } = await js.publish(subject, data, { headers, expect });
    return seq;
  }
}

function rethrow(error: unknown): never {
  throw natsProblem(error);
}
