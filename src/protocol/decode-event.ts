import type * as t from 'io-ts';
import { isLeft } from '#fp-ts/Either';
import type { DecodeIssue } from './decode-issue.js';
import { decodeIssues } from './decode-issues.js';
import { Event } from './event.js';
import { IdentityUpdate } from './identity-update.js';
import type { LiveEvent } from './live-event.js';
import { LobbyJoin } from './lobby-join.js';

const known = new Map<string, t.Mixed>([
  ['identity_update', IdentityUpdate],
  ['matchmaker_lobby_join', LobbyJoin],
]);

/**
 * One event of the wire as live events: one as a rule, two where it carries two kinds. It never fails: what does not
 * decode comes out as `malformed`, and costs its neighbours nothing. `path` is where the event stood.
 */
export function decodeEvent(raw: unknown, path = ''): readonly LiveEvent[] {
  const result = Event.decode(raw);
  if (isLeft(result)) return [malformed(raw, decodeIssues(result.left, path))];

  const { kind, ts, notification } = result.right;
  const names = Object.keys(kind).filter(name => kind[name] != null);
  if (names.length === 0) {
    return [
      malformed(raw, [{ path: `${path}.kind`, expected: 'object with one kind of event', got: 'none' }]),
    ];
  }
  return names.map((name, i) => {
    const payload = kind[name];
    const codec = known.get(name);
    const issues = codec && issuesOf(codec, payload, `${path}.kind.${name}`);
    if (issues) return malformed(raw, issues);
    // A notification is for the player's eyes: two kinds in one event are still one thing to show.
    const shown = notification && i === 0 ? { ts, notification } : { ts };
    return codec
      ? ({ ...shown, ...(payload as object), kind: name } as LiveEvent)
      : { ...shown, kind: 'unknown', name, payload };
  });
}

function malformed(raw: unknown, errors: readonly DecodeIssue[]): LiveEvent {
  return { kind: 'malformed', raw, errors };
}

function issuesOf(codec: t.Mixed, payload: unknown, path: string): readonly DecodeIssue[] | undefined {
  if (codec.is(payload)) return undefined;
  const result = codec.decode(payload) as t.Validation<unknown>;
  return isLeft(result) ? decodeIssues(result.left, path) : undefined;
}
