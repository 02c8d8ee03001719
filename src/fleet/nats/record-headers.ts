import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Gap } from '../../stream/index.js';
import type { FleetRecord, LastRecord } from '../worker/index.js';

/** A record may have too many kinds to list them all. */
const MAX_KINDS = 32;

/** The headers of a message. Values are encoded, since those of the service may contain anything. */
const INDEX = 'Lobby-Index';
const AT = 'Lobby-At';
const EPOCH = 'Lobby-Epoch';
const KEY = 'Lobby-Key';
const KINDS = 'Lobby-Kinds';
const GAP = 'Lobby-Gap';
/** The position of the record before it. */
const AFTER = 'Lobby-After';
/** The positions of the other parts of a record that is too large for one message. Only the last part has it. */
const PARTS = 'Lobby-Parts';

/** What the headers of a message say about it. */
export interface RecordHeaders extends Omit<LastRecord, 'sequence'> {
  readonly gap: Gap | undefined;
  readonly after: number;
  /** The positions of the messages with the text before that of this one. */
  readonly parts: readonly number[];
}

/** The headers of the last message of a record, or the only one. */
export function recordHeaders(record: FleetRecord, after: number, parts: readonly number[]): MsgHdrs {
  const { answer, checkpoint, gap, epoch, key } = record;
  const written = partHeaders(epoch, after);
  written.set(INDEX, encodeURIComponent(checkpoint.index));
  written.set(AT, String(checkpoint.at));
  written.set(KEY, key);
  const kinds = kindsIn(answer.events);
  if (kinds.length > 0) written.set(KINDS, kinds.map(kind => encodeURIComponent(kind)).join(','));
  if (gap) written.set(GAP, encodeURIComponent(JSON.stringify(gap)));
  if (parts.length > 0) written.set(PARTS, parts.join(','));
  return written;
}

/** The headers of a message with a part of a record, which means nothing without the last one. */
export function partHeaders(epoch: number, after: number): MsgHdrs {
  const written = headers();
  written.set(EPOCH, String(epoch));
  written.set(AFTER, String(after));
  return written;
}

/** The epoch of a message, and where the record before it is. */
export function readPart(read: MsgHdrs | undefined): { readonly epoch: number; readonly after: number } {
  return { epoch: numberIn(read, EPOCH), after: numberIn(read, AFTER) };
}

/** What the headers say; undefined if this is only a part of a record, or was not stored by this library. */
export function readRecord(read: MsgHdrs | undefined): RecordHeaders | undefined {
  const key = read?.get(KEY);
  if (!read || !key) return undefined;
  const gap = read.get(GAP);
  const parts = read.get(PARTS);
  return {
    checkpoint: { index: decodeURIComponent(read.get(INDEX)), at: numberIn(read, AT) },
    ...{ ...readPart(read), key },
    gap: gap === '' ? undefined : (JSON.parse(decodeURIComponent(gap)) as Gap),
    parts: parts === '' ? [] : parts.split(',').map(Number),
  };
}

function numberIn(read: MsgHdrs | undefined, name: string): number {
  return Number(read?.get(name) ?? 0) || 0;
}

/** The kinds of events as they are sent. */
function kindsIn(events: readonly unknown[]): readonly string[] {
  const kinds = events.flatMap(event =>
    Object.keys(Object((Object(event) as { kind?: unknown }).kind) as object),
  );
  return [...new Set(kinds)].filter(kind => kind.length <= 64 && isSendable(kind)).slice(0, MAX_KINDS);
}

/** Lone surrogates cannot be encoded. */
function isSendable(kind: string): boolean {
  return !/\p{Surrogate}/u.test(kind);
}
