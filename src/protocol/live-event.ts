import * as t from 'io-ts';
import type { DecodeIssue } from '../error/index.js';
import { struct, type AnyCodec, type Codec } from './codec.js';
import { Profile } from './identity.js';
import { LobbyJoin } from './lobby.js';

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
