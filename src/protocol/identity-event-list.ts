import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { fieldsOf } from '../error/index.js';
import { jsonObject, listOf, type Codec } from './codec.js';
import { decodeIssues } from './decode-issues.js';
import {
  EventDecoder,
  type EventCodecs,
  type LiveEvent,
  type NoOwnEvents,
  type PayloadsOf,
} from './live-event.js';
import { struct } from './struct.js';
import { WatchData } from './watch-data.js';

/** The events addressed to an identity (docs/the-service.md, 2.3). */
export interface IdentityEventList<Own extends object = NoOwnEvents> {
  /** Oldest first. */
  readonly events: readonly LiveEvent<Own>[];
  readonly watch: WatchData;
}

/**
 * The list as the service sends it. Its events are not decoded, so that they can be stored, and
 * decoded elsewhere.
 */
export interface RawEventList {
  /** Oldest first. */
  readonly events: readonly unknown[];
  readonly watch: WatchData;
}

/** An event may carry several kinds. Each of them is an event when it is decoded. */
function kindsIn(event: unknown): number {
  const { kind } = fieldsOf(event);
  return Math.max(1, jsonObject.is(kind) ? Object.keys(kind).length : 0);
}

export const RawEventList: Codec<RawEventList> = struct('IdentityEventList', {
  events: listOf('events', kindsIn),
  watch: WatchData,
});

/** A codec of events that knows their kinds. */
export interface EventListCodec<Own extends object> extends Codec<IdentityEventList<Own>> {
  /** The names of your own kinds. */
  readonly kinds: readonly string[];
}

/**
 * Creates a codec of {@link IdentityEventList} with your own event kinds. Each event is decoded
 * separately. An invalid one becomes `malformed`. It does not affect the other events, and does not
 * stop the index.
 *
 * @example
 * const response = identityEventList({ chat_message: ChatMessage });
 */
export function identityEventList<Codecs extends EventCodecs>(
  own: Codecs,
): EventListCodec<PayloadsOf<Codecs>> {
  type List = IdentityEventList<PayloadsOf<Codecs>>;
  const codec = new t.Type<List, unknown>(
    RawEventList.name,
    (u): u is List => RawEventList.is(u) && u.events.every(isDecoded),
    (u, context) => {
      const list = RawEventList.validate(u, context);
      if (isLeft(list)) return list;
      const decoder = new EventDecoder(own);
      const events = list.right.events.flatMap(event => decoder.decode(event));
      return t.success({ ...list.right, events });
    },
    list => ({ ...list, events: list.events.map(event => encodeEvent(event as LiveEvent, own)) }),
  );
  return Object.assign(codec, { kinds: Object.keys(own) });
}

/**
 * Decodes a list that was stored, or sent on, as it came. If the codec rejects the whole list, each
 * of its events is malformed.
 */
export function decodedEvents<Own extends object>(
  codec: Codec<IdentityEventList<Own>>,
  raw: RawEventList,
): IdentityEventList<Own> {
  const decoded = codec.decode(raw);
  if (!isLeft(decoded)) return decoded.right;
  const errors = decodeIssues(decoded.left);
  return { events: raw.events.map(event => ({ kind: 'malformed', raw: event, errors })), watch: raw.watch };
}

export const IdentityEventList: Codec<IdentityEventList> = identityEventList({});

/** On the wire `kind` is an object. If it is a string, the event has been decoded. */
function isDecoded(u: unknown): boolean {
  return typeof (u as { kind?: unknown } | null)?.kind === 'string';
}

/** The wire format of a live event, the inverse of `EventDecoder.decode`. */
function encodeEvent(event: LiveEvent, own: EventCodecs): unknown {
  if (event.kind === 'malformed') return event.raw;
  const { ts, notification } = event;
  return { kind: encodeKind(event, own), ts, ...(notification && { notification }) };
}

function encodeKind(event: Exclude<LiveEvent, { kind: 'malformed' }>, own: EventCodecs): object {
  switch (event.kind) {
    case 'identity_update':
      return { identity_update: { identity: event.identity } };
    case 'matchmaker_lobby_join':
      return { matchmaker_lobby_join: { lobby: event.lobby, player: event.player, ports: event.ports } };
    case 'unknown':
      return { [event.name]: event.payload };
    default: {
      const { kind, payload } = event as { kind: string; payload: unknown };
      const codec = own[kind] as t.Encoder<unknown, unknown> | undefined;
      return { [kind]: codec ? codec.encode(payload) : payload };
    }
  }
}
