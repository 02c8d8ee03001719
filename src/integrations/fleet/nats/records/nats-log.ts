import type { StoredMsg } from '@nats-io/jetstream';
import { defer, filter, share, switchMap, type Observable } from 'rxjs';
import type { MsgHdrs } from '@nats-io/transport-node';
import { FleetError } from '../../fleet-error.js';
import type { Appended, FleetHead, FleetLog, FleetRecord, LastRecord } from '../../worker/index.js';
import { backoff } from '../../../../stream/index.js';
import { storedSubject } from '../fleet-names.js';
import type { WorkingFleet } from '../open-fleet.js';
import type { NatsTime } from '../nats-time.js';
import { reconnected } from '../nats-connection.js';
import { fenced } from '../publisher.js';
import { partHeaders, readPart, readRecord, recordHeaders } from './stored-record.js';
import { storedMessage, streamState } from '../stored-message.js';

/** Room for the headers that NATS itself adds to a message, in bytes. */
const RESERVED_BYTES = 1_024;

/** The records of all identities, in a stream of NATS. */
export class NatsLog implements FleetLog {
  readonly #fleet: WorkingFleet;
  readonly #time: NatsTime;
  /** The last record that this worker has stored. */
  #latest: { readonly seq: number; readonly key: string } | undefined;

  /**
   * A server that was killed or restored from a copy may have lost the end of the stream. This is
   * checked after each reconnect.
   */
  readonly lost$: Observable<unknown>;

  constructor(fleet: WorkingFleet, time: NatsTime) {
    this.#fleet = fleet;
    this.#time = time;
    this.lost$ = reconnected(fleet.nats).pipe(
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
    let { record } = head;
    for (const shards of this.#fleet.before) {
      const former = await this.#headOf(this.#subject(identity_id, shards));
      if (former.record && former.record.sequence > (record?.sequence ?? 0)) record = former.record;
    }
    return { last: head.last, record };
  }

  async #headOf(subject: string): Promise<FleetHead> {
    const last = await storedMessage(this.#fleet, { last_by_subj: subject });
    if (!last) return { last: 0, record: undefined };
    const part = readPart(last.header);
    const record = this.#recordIn(last) ?? (await this.#recordBefore(subject, part?.after));
    return { last: last.seq, record };
  }

  /**
   * Finds the last record if the last message is not one. That message is a part of an unfinished
   * record, or another program has stored it.
   */
  async #recordBefore(subject: string, after: number | undefined): Promise<LastRecord | undefined> {
    if (after === 0) return undefined;
    const messageFrom = (seq: number) => storedMessage(this.#fleet, { next_by_subj: subject, seq });
    let found: LastRecord | undefined;
    let message = await messageFrom(after ?? 1);
    while (message) {
      found = this.#recordIn(message) ?? found;
      message = await messageFrom(message.seq + 1);
    }
    return found;
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
    // A new stream is counted, and its first record becomes its landmark. If the sequence went
    // back, the stream may have been deleted and created again, perhaps by another program.
    if (sequence < (this.#latest?.seq ?? Infinity)) await this.#fleet.ensure();
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
    while (data.length - start > room) {
      const headers = partHeaders({ after, part });
      last = await this.#publish(subject, data.subarray(start, start + room), headers, last);
      part = last;
      start += room;
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

  /** How much data fits into a message with the headers of a record, in bytes. */
  #room(record: FleetRecord): number {
    const size = this.#fleet.nats.info?.max_payload ?? 2 ** 20;
    let room = size - RESERVED_BYTES;
    for (const [name, [value = '']] of recordHeaders(record, 0, { after: 0, part: 0 })) {
      // With a colon, a blank and the end of the line.
      room -= name.length + value.length + 4;
    }
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
