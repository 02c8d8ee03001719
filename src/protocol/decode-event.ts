import * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import type { DecodeIssue } from './decode-issue.js';
import { decodeIssues } from './decode-issues.js';
import { Event } from './event.js';
import { IdentityUpdate } from './identity-update.js';
import { jsonObject } from './json-object.js';
import type { LiveEvent } from './live-event.js';
import { LobbyJoin } from './lobby-join.js';
import { Notification } from './notification.js';
import { struct } from './struct.js';

/** What an event needs to be one at all. */
const EventHead = struct({ kind: jsonObject, ts: t.string }, { notification: t.unknown });

/** Where an event stands in its list. */
type Place = number | undefined;

/**
 * One event of the wire as live events: one as a rule, two where it carries two kinds. It never fails: what does not
 * decode comes out as `malformed`, and costs its neighbours nothing.
 */
export function decodeEvent(raw: unknown, place?: Place): readonly LiveEvent[] {
  if (!EventHead.is(raw)) return [malformed(raw, issuesOf(Event, raw, place, ''))];
  const { kind, ts } = raw;
  // A notification is for the player's eyes: two kinds in one event are still one thing to show.
  let notification = Notification.is(raw.notification) ? raw.notification : null;
  const events: LiveEvent[] = [];
  for (const name of Object.keys(kind)) {
    if (kind[name] == null) continue;
    const event = decodeKind(name, raw, ts, place);
    if (notification && event.kind !== 'malformed') {
      events.push({ ...event, notification });
      notification = null;
    } else {
      events.push(event);
    }
  }
  // What is wrong with a notification costs the player no lobby.
  if (raw.notification != null && !Notification.is(raw.notification)) {
    events.push(malformed(raw, issuesOf(Notification, raw.notification, place, '.notification')));
  }
  if (events.length > 0) return events;
  const path = pathOf(place, '.kind');
  return [malformed(raw, [{ path, expected: 'object with one kind of event', got: 'none' }])];
}

function decodeKind(name: string, raw: t.TypeOf<typeof EventHead>, ts: string, place: Place): LiveEvent {
  const payload = raw.kind[name];
  switch (name) {
    case 'identity_update':
      return IdentityUpdate.is(payload)
        ? { ...othersIn(payload, 1), kind: name, ts, identity: payload.identity }
        : malformed(raw, issuesOf(IdentityUpdate, payload, place, `.kind.${name}`));
    case 'matchmaker_lobby_join':
      return LobbyJoin.is(payload)
        ? {
            ...othersIn(payload, 3),
            kind: name,
            ts,
            lobby: payload.lobby,
            player: payload.player,
            ports: payload.ports,
          }
        : malformed(raw, issuesOf(LobbyJoin, payload, place, `.kind.${name}`));
    default:
      return { kind: 'unknown', name, ts, payload };
  }
}

/** A payload with fields that this library does not know, to be handed on with the rest; nothing as a rule. */
function othersIn(payload: object, known: number): object | undefined {
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
