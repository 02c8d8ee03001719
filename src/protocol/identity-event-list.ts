import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { describe, fieldsOf, type DecodeIssue } from '../error/index.js';
import { decodeBy, jsonObject, listOf, struct, type AnyCodec, type Codec } from './codec.js';
import { decodeIssues, MAX_EXPLAINED, NOT_EXPLAINED } from './decode-issues.js';
import {
  IdentityUpdate,
  Notification,
  type EventCodecs,
  type LiveEvent,
  type MalformedEvent,
  type NoOwnEvents,
  type PayloadsOf,
} from './live-event.js';
import { LobbyJoin } from './lobby.js';
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

/** The fields of every event (docs/the-service.md, 2.4). The payload has the name of the kind. */
const EventHead = struct('Event', { kind: jsonObject, ts: t.string }, { notification: t.unknown });
type EventHead = t.TypeOf<typeof EventHead>;

/**
 * Decodes the events of a list, one after the other. It never throws. `own` has the codecs of the
 * kinds that the client declares.
 */
export class EventDecoder {
  readonly #own: EventCodecs;
  /** The position of the event in its list, for the paths in its errors. */
  #position = -1;
  #explained = 0;

  constructor(own: EventCodecs) {
    this.#own = own;
  }

  /**
   * Decodes the next wire event, usually to one live event, to two if it carries two kinds. An
   * event that fails to decode becomes `malformed`.
   */
  decode(raw: unknown): readonly LiveEvent<object>[] {
    this.#position++;
    if (!EventHead.is(raw)) return [this.#malformed(raw, EventHead, raw, '')];
    // If the event carries two kinds, only the first one gets the notification, so that it is shown
    // once.
    let notification = Notification.is(raw.notification) ? raw.notification : undefined;
    const events: LiveEvent<object>[] = [];
    for (const name of Object.keys(raw.kind)) {
      if (raw.kind[name] == null) continue;
      const event = this.#decodeKind(name, raw);
      if (notification && event.kind !== 'malformed') {
        events.push({ ...event, notification });
        notification = undefined;
      } else {
        events.push(event);
      }
    }
    // An invalid notification is reported separately, so that a player does not miss a lobby join
    // because of it.
    if (raw.notification != null && !Notification.is(raw.notification)) {
      events.push(this.#malformed(raw, Notification, raw.notification, '.notification'));
    }
    if (events.length > 0) return events;
    const path = this.#path('.kind');
    const errors = [{ path, expected: 'object with one kind of event', got: 'none' }];
    return [{ kind: 'malformed', raw, errors }];
  }

  #decodeKind(name: string, raw: EventHead): LiveEvent<object> {
    const payload = raw.kind[name];
    const { ts } = raw;
    switch (name) {
      case 'identity_update':
        return IdentityUpdate.is(payload)
          ? { ...unknownFields(payload, 1), kind: name, ts, identity: payload.identity }
          : this.#malformed(raw, IdentityUpdate, payload, `.kind.${name}`);
      case 'matchmaker_lobby_join':
        return LobbyJoin.is(payload)
          ? {
              ...unknownFields(payload, 3),
              kind: name,
              ts,
              lobby: payload.lobby,
              player: payload.player,
              ports: payload.ports,
            }
          : this.#malformed(raw, LobbyJoin, payload, `.kind.${name}`);
      default:
        return Object.hasOwn(this.#own, name)
          ? this.#decodeOwn(name, this.#own[name]!, raw)
          : { kind: 'unknown', name, ts, payload };
    }
  }

  #decodeOwn(name: string, codec: AnyCodec, raw: EventHead): LiveEvent<object> {
    const path = this.#path(`.kind.${name}`);
    try {
      const result = decodeBy<unknown>(codec, raw.kind[name]);
      if (isLeft(result)) return this.#withErrors(raw, () => decodeIssues(result.left, path));
      return { kind: name, ts: raw.ts, payload: result.right } as LiveEvent<object>;
    } catch {
      // A codec may throw, for example on a payload nested deeper than the call stack, or be none.
      const errors = [{ path, expected: codec.name, got: describe(raw.kind[name]) }];
      return { kind: 'malformed', raw, errors };
    }
  }

  #malformed(raw: unknown, codec: AnyCodec, value: unknown, path: string): MalformedEvent {
    return this.#withErrors(raw, () => {
      const result = codec.decode(value) as t.Validation<unknown>;
      return isLeft(result) ? decodeIssues(result.left, this.#path(path)) : [];
    });
  }

  #withErrors(raw: unknown, explain: () => readonly DecodeIssue[]): MalformedEvent {
    const isExplained = this.#explained < MAX_EXPLAINED;
    this.#explained++;
    return { kind: 'malformed', raw, errors: isExplained ? explain() : NOT_EXPLAINED };
  }

  #path(path: string): string {
    return `events[${this.#position}]${path}`;
  }
}

/** The fields of a payload that this library does not know. Usually `undefined`. */
function unknownFields(payload: object, known: number): object | undefined {
  if (Object.keys(payload).length <= known) return undefined;
  // A notification belongs to the event, not to its payload.
  const fields: { notification?: unknown } = { ...payload };
  delete fields.notification;
  return fields;
}
