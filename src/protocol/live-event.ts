import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { describe, type DecodeIssue } from '../error/index.js';
import { decodeIssues, jsonObject, type Codec } from './codec.js';
import { Profile } from './identity.js';
import { LobbyJoin } from './lobby.js';
import { Notification } from './notification.js';
import { struct } from './struct.js';

/** The payload of an `identity_update` event: a profile changed or is delivered (interface document, 6). */
export interface IdentityUpdate {
  /** The whole profile, as it is now. */
  readonly identity: Profile;
}

export const IdentityUpdate: Codec<IdentityUpdate> = struct('IdentityUpdate', { identity: Profile });

/** The event kinds that the interface document describes (section 6), by their names on the wire. */
export interface KnownEvents {
  identity_update: IdentityUpdate;
  matchmaker_lobby_join: LobbyJoin;
}

interface Stamped {
  /** When it happened: a timestamp in the server's format. */
  readonly ts: string;
  /** What the player is to be shown with it; absent if there is nothing to show. */
  readonly notification?: Notification;
}

/** A profile changed or is delivered (interface document, 6). */
export interface IdentityUpdateEvent extends IdentityUpdate, Stamped {
  readonly kind: 'identity_update';
}

/** A player is to join a lobby (interface document, 2.9 and 6). */
export interface LobbyJoinEvent extends LobbyJoin, Stamped {
  readonly kind: 'matchmaker_lobby_join';
}

/** An event of a kind of your own, as `createClient({ events: { … } })` declares it. */
export interface OwnEvent<Kind extends string, Payload> extends Stamped {
  readonly kind: Kind;
  /** What your codec made of what stood under the kind's name. */
  readonly payload: Payload;
}

/** An event of a kind that nobody declared. */
export interface UnknownEvent extends Stamped {
  readonly kind: 'unknown';
  /** The kind's name on the wire: `chat_message`, say. */
  readonly name: string;
  /** What stood under that name. */
  readonly payload: unknown;
}

/** What does not decode. It costs its neighbours nothing. */
export interface MalformedEvent {
  readonly kind: 'malformed';
  /** The event as it came. */
  readonly raw: unknown;
  /** What is wrong with it. */
  readonly errors: readonly DecodeIssue[];
}

/** No event kinds beyond those of the interface document. */
export type NoOwnEvents = Record<never, never>;

/** The codecs of event kinds of your own, by their names on the wire. */
export type EventCodecs = Readonly<Record<string, t.Mixed>>;

/** What the kinds of {@link EventCodecs} carry. */
export type PayloadsOf<Codecs extends EventCodecs> = {
  readonly [Kind in keyof Codecs]: t.TypeOf<Codecs[Kind]>;
} & {};

/**
 * One live event, as a union that `kind` tells apart. `Own` are the payloads of event kinds of your own.
 *
 * @example
 * switch (event.kind) {
 *   case 'identity_update': return event.identity.display_name;
 *   case 'unknown': return event.name;
 * }
 */
export type LiveEvent<Own extends object = NoOwnEvents> =
  | IdentityUpdateEvent
  | LobbyJoinEvent
  | { [Kind in keyof Own & string]: OwnEvent<Kind, Own[Kind]> }[keyof Own & string]
  | UnknownEvent
  | MalformedEvent;

/** What an event needs to be one at all (interface document, 2.4): `kind` holds the payload under the kind's name. */
const EventHead = struct('Event', { kind: jsonObject, ts: t.string }, { notification: t.unknown });
type EventHead = t.TypeOf<typeof EventHead>;

/** Where an event stands in its list, for the paths of its errors. */
type Place = number | undefined;

/**
 * One event of the wire as live events: usually one, two if it carries two kinds. It never fails: what does not decode
 * becomes `malformed`. `own` are the codecs of the game's own kinds.
 */
export function decodeEvent<Codecs extends EventCodecs>(
  raw: unknown,
  own: Codecs,
  place?: Place,
): readonly LiveEvent<PayloadsOf<Codecs>>[];
export function decodeEvent(raw: unknown, own: EventCodecs, place?: Place): readonly LiveEvent<object>[] {
  if (!EventHead.is(raw)) return [malformed(raw, issuesOf(EventHead, raw, place, ''))];
  // A notification is shown once, even if the event carries two kinds.
  let notification = Notification.is(raw.notification) ? raw.notification : undefined;
  const events: LiveEvent<object>[] = [];
  for (const name of Object.keys(raw.kind)) {
    if (raw.kind[name] == null) continue;
    const event = decodeKind(name, raw, own, place);
    if (notification && event.kind !== 'malformed') {
      events.push({ ...event, notification });
      notification = undefined;
    } else {
      events.push(event);
    }
  }
  // Reported beside the event: a bad notification must not cost the player a lobby.
  if (raw.notification != null && !Notification.is(raw.notification)) {
    events.push(malformed(raw, issuesOf(Notification, raw.notification, place, '.notification')));
  }
  if (events.length > 0) return events;
  const path = pathOf(place, '.kind');
  return [malformed(raw, [{ path, expected: 'object with one kind of event', got: 'none' }])];
}

function decodeKind(name: string, raw: EventHead, own: EventCodecs, place: Place): LiveEvent<object> {
  const payload = raw.kind[name];
  const { ts } = raw;
  switch (name) {
    case 'identity_update':
      return IdentityUpdate.is(payload)
        ? { ...unknownFields(payload, 1), kind: name, ts, identity: payload.identity }
        : malformed(raw, issuesOf(IdentityUpdate, payload, place, `.kind.${name}`));
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
        : malformed(raw, issuesOf(LobbyJoin, payload, place, `.kind.${name}`));
    default:
      return Object.hasOwn(own, name)
        ? decodeOwn(name, own[name]!, raw, pathOf(place, `.kind.${name}`))
        : { kind: 'unknown', name, ts, payload };
  }
}

function decodeOwn(name: string, codec: t.Mixed, raw: EventHead, path: string): LiveEvent<object> {
  try {
    const result = codec.decode(raw.kind[name]) as t.Validation<unknown>;
    if (isLeft(result)) return malformed(raw, decodeIssues(result.left, path));
    return { kind: name, ts: raw.ts, payload: result.right } as LiveEvent<object>;
  } catch {
    // A codec may throw: at a payload nested deeper than the call stack, say.
    return malformed(raw, [{ path, expected: codec.name, got: describe(raw.kind[name]) }]);
  }
}

/** A payload with fields that this library does not know, to be passed on with the rest; usually nothing. */
function unknownFields(payload: object, known: number): object | undefined {
  return Object.keys(payload).length > known ? payload : undefined;
}

function malformed(raw: unknown, errors: readonly DecodeIssue[]): LiveEvent {
  return { kind: 'malformed', raw, errors };
}

function issuesOf(codec: t.Mixed, value: unknown, place: Place, path: string): readonly DecodeIssue[] {
  const result = codec.decode(value) as t.Validation<unknown>;
  return isLeft(result) ? decodeIssues(result.left, pathOf(place, path)) : [];
}

function pathOf(place: Place, path: string): string {
  return place === undefined ? path.replace(/^\./, '') : `events[${place}]${path}`;
}
