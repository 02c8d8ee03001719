import type { StoredMsg } from '@nats-io/jetstream';
import { defer, filter, share, switchMap, type Observable } from 'rxjs';
import type { MsgHdrs } from '@nats-io/transport-node';
import { FleetError } from '../fleet-error.js';
import {
  type Appended,
  type FleetHead,
  type FleetLog,
  type FleetRecord,
  type LastRecord,
} from '../worker/index.js';
import { backoff } from '../../../stream/index.js';
import { storedSubject } from './fleet-names.js';
import type { WorkingFleet } from './open-fleet.js';
import type { NatsTime } from './nats-time.js';
import { connectionStatus } from './nats-connection.js';
import { fenced } from './publisher.js';
import { partHeaders, readPart, readRecord, recordHeaders } from './stored-record.js';
import { storedMessage, streamState } from './stream-messages.js';

/** How long the headers of NATS may be, in bytes. They come beside the data and our headers. */
const RESERVED_BYTES = 1_024;

/** The records of all identities in a stream. */
export class NatsLog implements FleetLog {
  readonly #fleet: WorkingFleet;
  readonly #time: NatsTime;
  /** The last record that this worker has stored. */
  #latest: { readonly seq: number; readonly key: string } | undefined;

  /**
   * A server that was killed, or put back, may have lost the end of the stream: whether it has
   * shows when the connection is back.
   */
  readonly lost$: Observable<unknown>;

  constructor(fleet: WorkingFleet, time: NatsTime) {
    this.#fleet = fleet;
    this.#time = time;
    this.lost$ = connectionStatus(fleet.nats).pipe(
      filter(({ type }) => type === 'reconnect'),
      switchMap(() => defer(() => this.#isLatestLost()).pipe(backoff())),
      filter(Boolean),
      share(),
    );
  }

  head(identity_id: string): Observable<FleetHead> {
    return defer(() => this.#head(identity_id).catch(this.#fleet.restore));
  }

  append(record: FleetRecord, head: FleetHead): Observable<Appended> {
    return defer(() => this.#append(record, head).catch(this.#fleet.restore));
  }

  #subject(identity_id: string, shards = this.#fleet.shards): string {
    return storedSubject(this.#fleet.names, identity_id, shards);
  }

  async #head(identity_id: string): Promise<FleetHead> {
    const head = await this.#headOf(this.#subject(identity_id));
    for (const shards of this.#fleet.before) {
      const { record } = await this.#headOf(this.#subject(identity_id, shards));
      if (record && record.sequence > (head.record?.sequence ?? 0)) head.record = record;
    }
    return head;
  }

  async #headOf(subject: string): Promise<{ -readonly [K in keyof FleetHead]: FleetHead[K] }> {
    const last = await storedMessage(this.#fleet, { last_by_subj: subject });
    if (!last) return { last: 0, record: undefined };
    const part = readPart(last.header);
    const record = this.#recordIn(last) ?? (await this.#recordBefore(subject, part?.after));
    return { last: last.seq, record };
  }

  /**
   * The last record, if the last message is none: it is a part of an unfinished record, or is not
   * ours.
   */
  async #recordBefore(subject: string, after: number | undefined): Promise<LastRecord | undefined> {
    if (after === 0) return undefined;
    let found: LastRecord | undefined;
    for (let seq = after ?? 1; ; seq++) {
      const message = await storedMessage(this.#fleet, { next_by_subj: subject, seq });
      if (!message) return found;
      found = this.#recordIn(message) ?? found;
      seq = message.seq;
    }
  }

  #recordIn({ header, seq, time }: StoredMsg): LastRecord | undefined {
    const record = readRecord(header);
    if (!record) return undefined;
    const { index, age, key } = record;
    return { checkpoint: { index, since: this.#time.since(time.getTime(), age) }, key, sequence: seq };
  }

  async #append(record: FleetRecord, head: FleetHead): Promise<Appended> {
    const sequence = await fenced(() => this.#publishRecord(record, head));
    if (sequence === undefined) {
      const now = await this.#head(record.identity_id);
      if (now.last === 0 && head.last > 0) await this.#fleet.ensure();
      return { kind: 'conflict', head: now };
    }
    // The stream was perhaps deleted and created again, perhaps by another program: then it has to
    // be counted.
    if (sequence < (this.#latest?.seq ?? 0)) await this.#fleet.ensure();
    this.#latest = { seq: sequence, key: record.key };
    return { kind: 'stored', sequence };
  }

  async #publishRecord(record: FleetRecord, head: FleetHead): Promise<number> {
    const { identity_id, answer, checkpoint } = record;
    const subject = this.#subject(identity_id);
    const after = head.record?.sequence ?? 0;
    const room = this.#room(record);
    const data = Buffer.from(JSON.stringify(answer));
    let last = head.last;
    let part = 0;
    let start = 0;
    for (; data.length - start > room; start += room) {
      const headers = partHeaders({ after, part });
      last = await this.#publish(subject, data.subarray(start, start + room), headers, last);
      part = last;
    }
    const headers = recordHeaders(record, this.#time.age(checkpoint.since), { after, part });
    return this.#publish(subject, data.subarray(start), headers, last);
  }

  async #isLatestLost(): Promise<boolean> {
    if (!this.#latest) return false;
    const { seq, key } = this.#latest;
    const message = await storedMessage(this.#fleet, { seq });
    if (message) return readRecord(message.header)?.key !== key;
    return (await streamState(this.#fleet)).last < seq;
  }

  /** How much text fits into a message with the headers of a record, in bytes. */
  #room(record: FleetRecord): number {
    const size = this.#fleet.nats.info?.max_payload ?? 2 ** 20;
    let room = size - RESERVED_BYTES;
    for (const [name, [value = '']] of recordHeaders(record, 0, { after: 0, part: 0 }))
      room -= name.length + value.length + 4;
    if (room >= RESERVED_BYTES) return room;
    throw new FleetError(
      `max_payload of the NATS server, ${size} bytes, is too small for the headers of a record`,
    );
  }

  async #publish(subject: string, data: Uint8Array, headers: MsgHdrs, last: number): Promise<number> {
    const { publisher, names } = this.#fleet;
    const expect = { streamName: names.stream, lastSubjectSequence: last };
    const { seq } = await publisher.publish(names.stream, subject, data, { headers, expect });
    return seq;
  }
}
