import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { isRight } from '#fp-ts/Either';
import type { LiveEvent } from 'lobby-rx';
import { IdentityEventList, WatchData } from 'lobby-rx/codecs';
import { EventDecoder } from '../../src/protocol/identity-event-list.js';
import { lobbyJoin, notification, profile } from '../payload.js';

const ts = '2026-11-20T12:00:00Z';
const wireUpdate = { kind: { identity_update: { identity: profile } }, ts };

function decode(value: unknown): IdentityEventList {
  const result = IdentityEventList.decode(value);
  ok(isRight(result));
  return result.right;
}

function decodeEvent(raw: unknown): readonly LiveEvent<object>[] {
  return new EventDecoder({}).decode(raw);
}

describe('live events', () => {
  it('become a union, discriminated by kind', () => {
    deepStrictEqual(decodeEvent(wireUpdate), [{ kind: 'identity_update', ts, identity: profile }]);
    deepStrictEqual(decodeEvent({ kind: { matchmaker_lobby_join: lobbyJoin }, ts }), [
      { kind: 'matchmaker_lobby_join', ts, ...lobbyJoin },
    ]);
    deepStrictEqual(decodeEvent({ kind: { chat_message: { thread: 1 } }, ts, notification }), [
      { kind: 'unknown', name: 'chat_message', ts, payload: { thread: 1 }, notification },
    ]);
  });

  it('are not copied: the payload is the same object as in the answer', () => {
    const [event] = decodeEvent(wireUpdate);
    strictEqual(event?.kind === 'identity_update' && event.identity, profile);
  });

  it('treat null as an absent kind or an absent notification', () => {
    const event = { kind: { identity_update: null, party_update: { id: 1 } }, ts, notification: null };
    deepStrictEqual(decodeEvent(event), [{ kind: 'unknown', name: 'party_update', ts, payload: { id: 1 } }]);
  });

  it('become two events if one has two kinds, and only the first has the notification', () => {
    const kind = { identity_update: { identity: profile }, matchmaker_lobby_join: lobbyJoin };
    deepStrictEqual(decodeEvent({ kind, ts, notification }), [
      { kind: 'identity_update', ts, identity: profile, notification },
      { kind: 'matchmaker_lobby_join', ts, ...lobbyJoin },
    ]);
  });

  it('are malformed if anything about them is wrong, and say what', () => {
    const issue = (raw: unknown) => {
      const [event, ...others] = decodeEvent(raw);
      strictEqual(others.length, 0);
      ok(event?.kind === 'malformed' && event.raw === raw);
      const [first] = event.errors;
      return `${first?.path}: ${first?.expected}, got ${first?.got}`;
    };
    strictEqual(issue(7), 'events[0]: Event, got a number');
    strictEqual(issue(null), 'events[0]: Event, got null');
    strictEqual(issue({ ts, kind: {} }), 'events[0].kind: object with one kind of event, got none');
    strictEqual(issue({ ts, kind: 'x' }), 'events[0].kind: object, got a string of 1 character');
    strictEqual(issue({ kind: { x: 1 } }), 'events[0].ts: string, got undefined');
  });

  it('lose only the notification if that does not decode', () => {
    const raw = { ts, kind: { matchmaker_lobby_join: lobbyJoin }, notification: { title: '' } };
    const [event, bad] = decodeEvent(raw);
    deepStrictEqual(event, { kind: 'matchmaker_lobby_join', ts, ...lobbyJoin });
    ok(bad?.kind === 'malformed');
    strictEqual(bad.errors[0]?.path, 'events[0].notification.description');
  });

  it('have the notification of the event, never one of the payload', () => {
    const kind = { identity_update: { identity: profile, notification: 42, more: 1 } };
    deepStrictEqual(decodeEvent({ ts, kind }), [{ kind: 'identity_update', ts, identity: profile, more: 1 }]);
  });

  it('keep the fields of a payload that are not in the document', () => {
    const [event] = decodeEvent({ ts, kind: { identity_update: { identity: profile, reason: 'x' } } });
    deepStrictEqual(event, { kind: 'identity_update', ts, identity: profile, reason: 'x' });
  });

  it('say what is wrong with the first 20 malformed ones of a list: each takes far more than to decode it', () => {
    const raw = { kind: { identity_update: { identity: {} } }, ts };
    const list = IdentityEventList.decode({ events: Array(10_000).fill(raw), watch: { index: '7' } });
    ok(list._tag === 'Right');
    const said = list.right.events.map(event => (event.kind === 'malformed' ? event.errors.length : 0));
    deepStrictEqual(said.slice(18, 22), [5, 5, 1, 1]);
    strictEqual(said.length, 10_000);
  });

  it('do not affect other events or the index if they are malformed', () => {
    const good = (n: number) => ({ ...wireUpdate, ts: `${n}` });
    const events: unknown[] = Array.from({ length: 20 }, (_, n) => good(n));
    events[4] = { kind: { identity_update: { identity: {} } }, ts };
    events[9] = { kind: { party_update: {} }, ts };
    const list = decode({ events, watch: { index: '77' } });
    strictEqual(list.watch.index, '77');
    deepStrictEqual(
      list.events.flatMap(event => (event.kind === 'identity_update' ? [event.ts] : [])),
      Array.from({ length: 20 }, (_, n) => `${n}`).filter(n => n !== '4' && n !== '9'),
    );
    deepStrictEqual([list.events[4]?.kind, list.events[9]?.kind], ['malformed', 'unknown']);
  });

  it('encode to the wire format that they came from', () => {
    const wire = {
      events: [
        wireUpdate,
        { kind: { matchmaker_lobby_join: lobbyJoin }, ts },
        { kind: { chat_message: {} }, ts, notification },
        'nonsense',
      ],
      watch: { index: '1' },
    };
    const list = decode(wire);
    deepStrictEqual(IdentityEventList.encode(list), wire);
    ok(IdentityEventList.is(list));
    ok(!IdentityEventList.is(wire));
  });
});

describe('the watch object', () => {
  it('decodes to an empty index if it is missing or cannot be sent back, and refuses what is no string', () => {
    const decoded = (value: unknown) => {
      const result = WatchData.decode(value);
      return isRight(result) ? result.right : 'refused';
    };
    deepStrictEqual(decoded(undefined), { index: '' });
    deepStrictEqual(decoded({}), { index: '' });
    deepStrictEqual(decoded({ index: null, more: 1 }), { index: '', more: 1 });
    deepStrictEqual(decoded({ index: '0012' }), { index: '0012' });
    for (const index of ['\ud800', 'x'.repeat(2049), 'é'.repeat(342)]) {
      deepStrictEqual(decoded({ index, more: 1 }), { index: '', more: 1 });
    }
    for (const index of [12, {}]) strictEqual(decoded({ index }), 'refused');
    for (const watch of ['', 7, [], [1]]) strictEqual(decoded(watch), 'refused');
  });
});
