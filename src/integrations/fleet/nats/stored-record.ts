import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { RawEventList } from '../../../protocol/index.js';
import type { Gap } from '../../../stream/index.js';
import type { FleetRecord, LastRecord } from '../worker/index.js';
import { FleetError } from '../fleet-error.js';
import { identityOf } from './fleet-names.js';

/**
 * What the headers mean. Within a version, there may be new ones; docs/fleet-operations.md
 * describes them.
 */
const VERSION = 'Lobby-Version';
const KNOWN_VERSION = '2';

/**
 * The headers of a message. Values are encoded, since those of the service may contain anything.
 */
const INDEX = 'Lobby-Index';
/** How old the index was when the record was published, in ms. */
const AGE = 'Lobby-Age';
const KEY = 'Lobby-Key';
const GAP = 'Lobby-Gap';
/** The position of the record before it. */
const AFTER = 'Lobby-After';
/** The position of the part before it, if a record is too large for one message. */
const PART = 'Lobby-Part';

/** What the headers of a message say about it. */
export interface RecordHeaders extends Pick<LastRecord, 'key'>, PartHeaders {
  readonly index: string;
  /** How old the index was when the record was published, in ms. */
  readonly age: number;
  readonly gap: StoredGap | undefined;
}

/** A gap is at the time of its record. */
type StoredGap = Omit<Gap, 'at'>;

/** What the headers of any message of a fleet say. */
export interface PartHeaders {
  /** The position of the record before this one, or 0. */
  readonly after: number;
  /** The position of the message with the part before this one; 0 for the first part. */
  readonly part: number;
}

/** The headers of the last message of a record, or the only one. */
export function recordHeaders(
  { checkpoint, gap, key }: FleetRecord,
  age: number,
  position: PartHeaders,
): MsgHdrs {
  const written = partHeaders(position);
  written.set(INDEX, encodeURIComponent(checkpoint.index));
  written.set(AGE, String(age));
  written.set(KEY, key);
  if (gap) {
    const { reason, index } = gap;
    written.set(GAP, encodeURIComponent(JSON.stringify({ reason, index })));
  }
  return written;
}

/** The headers of a message with a part of a record. Without the last part, it means nothing. */
export function partHeaders({ after, part }: PartHeaders): MsgHdrs {
  const written = headers();
  written.set(VERSION, KNOWN_VERSION);
  written.set(AFTER, String(after));
  if (part > 0) written.set(PART, String(part));
  return written;
}

/**
 * A record was stored by a later version of this library, whose headers may mean something else.
 */
class NewerVersion extends FleetError {}

export const isNewerVersion = (error: unknown): boolean => error instanceof NewerVersion;

/**
 * Reads the headers of any message. Returns `undefined` if this library has not stored it. Throws
 * if a later version has.
 */
export function readPart(read: MsgHdrs | undefined): PartHeaders | undefined {
  const version = read?.get(VERSION);
  if (Number(version) > Number(KNOWN_VERSION)) {
    throw new NewerVersion(
      `a record was stored by a later version of lobby-rx (${VERSION}: ${version}): update lobby-rx here, too`,
    );
  }
  if (!read || version !== KNOWN_VERSION) return undefined;
  return { after: numberIn(read, AFTER), part: numberIn(read, PART) };
}

/**
 * Reads the headers of a record. Returns `undefined` if the message is only a part of one, or this
 * library has not stored it.
 */
export function readRecord(read: MsgHdrs | undefined): RecordHeaders | undefined {
  const part = readPart(read);
  const key = read?.get(KEY);
  if (!read || !part || !key) return undefined;
  try {
    const gap = read.get(GAP);
    return {
      ...part,
      key,
      index: decodeURIComponent(read.get(INDEX)),
      age: numberIn(read, AGE),
      gap: gap === '' ? undefined : (JSON.parse(decodeURIComponent(gap)) as StoredGap),
    };
  } catch {
    // It is made up.
    return undefined;
  }
}

function numberIn(read: MsgHdrs, name: string): number {
  return Number(read.get(name)) || 0;
}

/** A message of the stream of a fleet: a record, or a part of one. */
export interface FleetMessage {
  /** Its position in the stream. */
  readonly sequence: number;
  /** When it was stored, in ms. */
  readonly at: number;
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
  /** The position of the record of the same identity before it, or 0. */
  readonly after: number;
}

/**
 * Returns the record that ends with a message; `undefined` if the message is only a part of one, or
 * is not of this library. `messageAt` returns the messages with its other parts.
 */
export async function storedRecord(
  { sequence, at: storedAt, subject, headers, data }: FleetMessage,
  messageAt: (sequence: number) => Promise<Pick<FleetMessage, 'headers' | 'data'> | undefined>,
): Promise<StoredRecord | undefined> {
  const record = readRecord(headers);
  if (!record) return undefined;
  const { after } = record;
  // It has come just now if it does not say when it was stored.
  const at = storedAt || Date.now();
  const gap = record.gap && { ...record.gap, at };
  const texts = [data];
  let { part } = record;
  while (part > 0) {
    const message = await messageAt(part);
    if (message) texts.unshift(message.data);
    part = readPart(message?.headers)?.part ?? 0;
  }
  const read = { sequence, identity_id: identityOf(subject), after };
  const answer = answerIn(Buffer.concat(texts).toString());
  if (answer) return { ...read, answer, gap };
  // Its first parts have expired a moment ago: its events are missing.
  const missing: Gap = { reason: 'silence', at, index: undefined };
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
