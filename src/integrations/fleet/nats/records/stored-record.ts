import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { RawEventList } from '../../../../protocol/index.js';
import type { Gap } from '../../../../stream/index.js';
import type { FleetRecord, LastRecord } from '../../worker/index.js';
import { FleetError } from '../../fleet-error.js';
import { identityOf } from '../fleet-names.js';
import type { StoredAt } from '../last-kept.js';

/**
 * The version of the headers. A version may get new headers, but none of them changes its meaning.
 * docs/fleet-operations.md describes the headers.
 */
const VERSION = 'Lobby-Version';
const KNOWN_VERSION = '2';

/**
 * The names of headers. Their values are encoded, since those of the service may contain anything.
 */
const INDEX = 'Lobby-Index';
/** How old the index was when the record was published, in ms. */
const AGE = 'Lobby-Age';
const KEY = 'Lobby-Key';
const GAP = 'Lobby-Gap';
/** The position of the identity's record before this one. */
const AFTER = 'Lobby-After';
/** The position of the part before this one, if a record is too large for one message. */
const PART = 'Lobby-Part';

/** The headers of the last message of a record. */
export interface RecordHeaders extends Pick<LastRecord, 'key'>, PartHeaders {
  readonly index: string;
  /** How old the index was when the record was published, in ms. */
  readonly age: number;
  readonly gap: StoredGap | undefined;
}

/** A gap has no time in the headers, because it is at the time of its record. */
type StoredGap = Omit<Gap, 'at'>;

/** The headers that all messages of a fleet have. */
export interface PartHeaders {
  /** The position of the record before this one, or 0. */
  readonly after: number;
  /** The position of the message with the part before this one. 0 for the first part. */
  readonly part: number;
}

/** Writes the headers of the last or only message of a record. */
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

/**
 * Writes the headers of a message with a part of a record. Parts without the last part are ignored.
 */
export function partHeaders({ after, part }: PartHeaders): MsgHdrs {
  const written = headers();
  written.set(VERSION, KNOWN_VERSION);
  written.set(AFTER, String(after));
  if (part > 0) written.set(PART, String(part));
  return written;
}

/** A later version of this library has stored a record. Its headers may have another meaning. */
class NewerVersion extends FleetError {}

export const isNewerVersion = (error: unknown): boolean => error instanceof NewerVersion;

/**
 * Reads the headers of any message. Returns `undefined` if another program has stored it. Throws if
 * a later version of this library has.
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
 * Reads the headers of a record. Returns `undefined` if the message is only a part of a record, or
 * another program has stored it.
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
    // Another program has made up these headers.
    return undefined;
  }
}

function numberIn(read: MsgHdrs, name: string): number {
  return Number(read.get(name)) || 0;
}

/** A message of the stream of a fleet. It is a record, or a part of one. */
export interface FleetMessage extends StoredAt {
  readonly subject: string;
  readonly headers: MsgHdrs | undefined;
  readonly data: Uint8Array;
}

/** A record that was read from the stream. */
export interface StoredRecord {
  readonly sequence: number;
  readonly key: string;
  readonly identity_id: string;
  readonly answer: RawEventList;
  readonly gap: Gap | undefined;
  /** The position of the record of the same identity before it, or 0. */
  readonly after: number;
}

/**
 * Returns the record that ends with a message. `undefined` if the message is only a part of a
 * record, or another program has stored it. `messageAt` returns the messages with the other parts.
 */
export async function storedRecord(
  { sequence, at: storedAt, subject, headers, data }: FleetMessage,
  messageAt: (sequence: number) => Promise<Pick<FleetMessage, 'headers' | 'data'> | undefined>,
): Promise<StoredRecord | undefined> {
  const record = readRecord(headers);
  if (!record) return undefined;
  const { after, key } = record;
  // A republished message has no time. It has come just now.
  const at = storedAt || Date.now();
  const gap = record.gap && { ...record.gap, at };
  const texts = [data];
  let { part } = record;
  while (part > 0) {
    const message = await messageAt(part);
    if (message) texts.unshift(message.data);
    part = readPart(message?.headers)?.part ?? 0;
  }
  const read = { sequence, key, identity_id: identityOf(subject), after };
  const answer = answerIn(Buffer.concat(texts).toString());
  if (answer) return { ...read, answer, gap };
  // The first parts have expired a moment ago, so the events are missing.
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
