import type * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import type { DecodeIssue } from './decode-issue.js';
import { decodeIssues } from './decode-issues.js';
import { Event } from './event.js';
import { IdentityUpdate } from './identity-update.js';
import type { LiveEvent } from './live-event.js';
import { LobbyJoin } from './lobby-join.js';

/** Where an event stands in its list. */
type Place = number | undefined;

/**
 * One event of the wire as live events: one as a rule, two where it carries two kinds. It never fails: what does not
 * decode comes out as `malformed`, and costs its neighbours nothing.
 */
export function decodeEvent(raw: unknown, place?: Place): readonly LiveEvent[] {
  if (!Event.is(raw)) return [malformed(raw, issuesOf(Event, raw, place, ''))];
  const { kind, ts } = raw;
  // A notification is for the player's eyes: two kinds in one event are still one thing to show.
  let notification = raw.notification;
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
  if (events.length > 0) return events;
  const path = pathOf(place, '.kind');
  return [malformed(raw, [{ path, expected: 'object with one kind of event', got: 'none' }])];
}

function decodeKind(name: string, raw: Event, ts: string, place: Place): LiveEvent {
  const payload = raw.kind[name];
  switch (name) {
    case 'identity_update':
      return IdentityUpdate.is(payload)
        ? { kind: name, ts, identity: payload.identity }
        : malformed(raw, issuesOf(IdentityUpdate, payload, place, `.kind.${name}`));
    case 'matchmaker_lobby_join':
      return LobbyJoin.is(payload)
        ? { kind: name, ts, lobby: payload.lobby, player: payload.player, ports: payload.ports }
        : malformed(raw, issuesOf(LobbyJoin, payload, place, `.kind.${name}`));
    default:
      return { kind: 'unknown', name, ts, payload };
  }
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
