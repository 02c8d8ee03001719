import type { MsgHdrs } from '@nats-io/transport-node';
import { RawEventList } from '../../protocol/index.js';
import type { Gap } from '../../stream/index.js';
import type { StoredAt } from '../handled-tail.js';
import { identityOf } from './fleet-names.js';
import { readPart, readRecord } from './record-headers.js';

/** A message of the stream of a fleet: a record, or a part of one. */
export interface FleetMessage extends StoredAt {
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

/**
 * The record that ends with a message; undefined if it is only a part of one, or none of this library. `messageAt` returns the
 * messages with its other parts.
 */
export async function storedRecord(
  { sequence, subject, headers, data }: FleetMessage,
  messageAt: (sequence: number) => Promise<Pick<FleetMessage, 'headers' | 'data'> | undefined>,
): Promise<StoredRecord | undefined> {
  const record = readRecord(headers);
  if (!record) return undefined;
  const { gap, after } = record;
  const texts = [data];
  for (let { part } = record; part > 0;) {
    const message = await messageAt(part);
    if (message) texts.unshift(message.data);
    part = readPart(message?.headers)?.part ?? 0;
  }
  const read = { sequence, identity_id: identityOf(subject), after };
  const answer = answerIn(Buffer.concat(texts).toString());
  if (answer) return { ...read, answer, gap };
  // Its first parts have expired a moment ago: its events are missing.
  const missing: Gap = { reason: 'silence', at: Date.now(), index: undefined };
  return { ...read, answer: { events: [], watch: { index: '' } }, gap: gap ?? missing };
}

function answerIn(text: string): RawEventList | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return RawEventList.is(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}
