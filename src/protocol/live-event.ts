import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import { describe, type DecodeIssue } from '../error/index.js';
import { decodeBy, jsonObject, type AnyCodec, type Codec } from './codec.js';
import { decodeIssues, MAX_EXPLAINED, NOT_EXPLAINED } from './decode-issues.js';
import { Profile } from './identity.js';
import { LobbyJoin } from './lobby.js';
import { struct } from './struct.js';

/**
 * A notification to show to the player immediately, unobtrusively, for a few seconds
 * (docs/the-service.md, 2.8). Only chat message events have one.
 */
export interface Notification {
  readonly title: string;
  readonly description: string;
  /** URL of the thumbnail image. */
  readonly thumbnail_url: string;
  /** URL to open on a click or tap. For a chat notification, it is that of the thread. */
  readonly url: string;
}

export const Notification: Codec<Notification> = struct('Notification', {
  title: t.string,
  description: t.string,
  thumbnail_url: t.string,
  url: t.string,
});

/** The payload of an `identity_update`: a profile that changed (docs/the-service.md, 6). */
export interface IdentityUpdate {
  /** The whole profile, as it is now. */
  readonly identity: Profile;
}

export const IdentityUpdate: Codec<IdentityUpdate> = struct('IdentityUpdate', { identity: Profile });

interface Stamped {
  /** When the event happened, as a timestamp in the server's format. */
  readonly ts: string;
  /** The notification to show the player. Absent if there is nothing to show. */
  readonly notification?: Notification;
}

/** A profile changed or is delivered (docs/the-service.md, 6). */
export interface IdentityUpdateEvent extends IdentityUpdate, Stamped {
  readonly kind: 'identity_update';
}

/** A player is to join a lobby (docs/the-service.md, 2.9 and 6). */
export interface LobbyJoinEvent extends LobbyJoin, Stamped {
  readonly kind: 'matchmaker_lobby_join';
}

/** An event of a kind that you declared with `createClient({ kinds: { … } })`. */
export interface OwnEvent<Kind extends string, Payload> extends Stamped {
  readonly kind: Kind;
  /** The value under the kind's name, decoded by your codec. */
  readonly payload: Payload;
}

/** An event of a kind that neither this library nor your client declares. */
export interface UnknownEvent extends Stamped {
  readonly kind: 'unknown';
  /** The kind's name on the wire, for example `chat_message`. */
  readonly name: string;
  /** The value under that name, not decoded. */
  readonly payload: unknown;
}

/** An event that failed to decode. It does not affect the other events. */
export interface MalformedEvent {
  readonly kind: 'malformed';
  /** The event as it was received. */
  readonly raw: unknown;
  /** The first errors of the event. Only the first 20 malformed events of a list have errors. */
  readonly errors: readonly DecodeIssue[];
}

/** No event kinds beyond those of the interface document. */
export type NoOwnEvents = Record<never, never>;

/**
 * The codecs of your own event kinds, by their names on the wire. None of the names is a kind of
 * this library.
 */
export type EventCodecs = Readonly<Record<string, AnyCodec>> & {
  readonly [Kind in LiveEvent['kind']]?: `${Kind} is a kind of this library: choose another name`;
};

/**
 * The payload types of {@link EventCodecs}. There are none if the names are not known to the
 * compiler.
 */
export type PayloadsOf<Codecs extends EventCodecs> = {
  readonly [
    Kind in keyof Codecs as string extends Kind ? never : Exclude<Kind, LiveEvent['kind']>
  ]: Codecs[Kind]['_A'];
} & {};

/**
 * A live event, as a union discriminated by `kind`. `Own` has the payloads of your own event kinds.
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
