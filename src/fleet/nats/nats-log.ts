import { JetStreamApiCodes } from '@nats-io/jetstream';
import { defer, type Observable } from 'rxjs';
import type { MsgHdrs } from '@nats-io/transport-node';
import { FleetError } from '../fleet-error.js';
import {
  shardOf,
  type Appended,
  type FleetHead,
  type FleetLog,
  type FleetRecord,
  type LastRecord,
} from '../worker/index.js';
import { subjectOf } from './fleet-names.js';
import { isApiError, type WorkingFleet } from './open-fleet.js';
import { isUnanswered, natsProblem } from './nats-problem.js';
import { partHeaders, readPart, readRecord, recordHeaders } from './record-headers.js';

/** What a message has besides its data and our headers, in bytes: the headers of NATS. */
const RESERVED = 1_024;

/** The records of all identities in a stream. */
export class NatsLog implements FleetLog {
  readonly #fleet: WorkingFleet;
  #creating: Promise<unknown> | undefined;

  constructor(fleet: WorkingFleet) {
    this.#fleet = fleet;
  }

  head(identity_id: string): Observable<FleetHead> {
    return defer(() => this.#head(identity_id).catch(this.#explain));
  }

  append(record: FleetRecord, head: FleetHead): Observable<Appended> {
    return defer(() => this.#append(record, head).catch(this.#explain));
  }

  /** Creates the stream again if that is what is missing: the task is tried once more. */
  readonly #explain = async (error: unknown): Promise<never> => {
    const isMissing = isUnanswered(error) || isApiError(error, JetStreamApiCodes.StreamNotFound);
    if (!isMissing) throw natsProblem(error);
    this.#creating ??= this.#fleet.ensure().finally(() => (this.#creating = undefined));
    await this.#creating.catch(rethrow);
    throw new FleetError(`the stream ${this.#fleet.names.stream} was not found; it is there now`);
  };

  #subject(identity_id: string): string {
    const { names, shards } = this.#fleet;
    return `${names.stored}.${subjectOf(shardOf(identity_id, shards), identity_id)}`;
  }

  async #head(identity_id: string): Promise<FleetHead> {
    const { jsm, names } = this.#fleet;
    const subject = this.#subject(identity_id);
    const last = await jsm.direct.getMessage(names.stream, { last_by_subj: subject });
    if (!last) return { last: 0, epoch: 0, record: undefined };
    const part = readPart(last.header);
    const own = readRecord(last.header);
    const record = own ? { ...own, sequence: last.seq } : await this.#recordBefore(subject, part?.after);
    return { last: last.seq, epoch: part?.epoch ?? record?.epoch ?? 0, record };
  }

  /** The last record, if the last message is none: it is a part of an unfinished record, or is not ours. */
  async #recordBefore(subject: string, after: number | undefined): Promise<LastRecord | undefined> {
    const { jsm, names } = this.#fleet;
    if (after === 0) return undefined;
    let found: LastRecord | undefined;
    for (let seq = after ?? 1; ; seq++) {
      const message = await jsm.direct.getMessage(names.stream, { next_by_subj: subject, seq });
      if (!message) return found;
      const record = readRecord(message.header);
      if (record) found = { ...record, sequence: message.seq };
      seq = message.seq;
    }
  }

  async #append(record: FleetRecord, head: FleetHead): Promise<Appended> {
    const { identity_id, answer, epoch } = record;
    const subject = this.#subject(identity_id);
    const after = head.record?.sequence ?? 0;
    const room = this.#room(record);
    const data = Buffer.from(JSON.stringify(answer));
    let last = head.last;
    let part = 0;
    try {
      let start = 0;
      for (; data.length - start > room; start += room) {
        const headers = partHeaders({ epoch, after, part });
        part = last = await this.#publish(subject, data.subarray(start, start + room), headers, last);
      }
      const headers = recordHeaders(record, { after, part });
      return { kind: 'stored', sequence: await this.#publish(subject, data.subarray(start), headers, last) };
    } catch (error) {
      const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes;
      if (!isApiError(error, StreamWrongLastSequence, StreamWrongLastSequenceUnknown)) throw error;
      return { kind: 'refused', head: await this.#head(identity_id) };
    }
  }

  /** How much text fits into a message with the headers of a record, in bytes. */
  #room(record: FleetRecord): number {
    const size = this.#fleet.nats.info?.max_payload ?? 2 ** 20;
    let room = size - RESERVED;
    for (const [name, [value = '']] of recordHeaders(record, { after: 0, part: 0 }))
      room -= name.length + value.length + 4;
    if (room >= RESERVED) return room;
    throw new FleetError(
      `max_payload of the NATS server, ${size} bytes, is too small for the headers of a record`,
    );
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
