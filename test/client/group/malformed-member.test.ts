import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { defer, firstValueFrom, lastValueFrom, of, toArray } from 'rxjs';
import { createClient, isDecodeError, type Roster, type Transport } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { rosterState, type RosterState } from 'lobby-rx/views';
import { GroupMemberList } from 'lobby-rx/codecs';
import { handle } from '../../payload.js';
import { virtualWorld } from '../../virtual-world.js';

/** A group of twenty on pages of five, in virtual time. */
function group() {
  const world = virtualWorld({ random: () => 0.5 });
  const { emulator, identity_id } = world;
  const group_id = emulator.addGroup();
  emulator.join(group_id, identity_id);
  const people = Array.from({ length: 19 }, () => emulator.addIdentity().identity_id);
  for (const id of people) emulator.join(group_id, id);
  const spoil = (id: string) =>
    emulator.fault({ kind: 'member_malformed', identity_id: id }, { times: Infinity });
  return { ...world, group_id, people, spoil };
}

const answering =
  (body: unknown): Transport =>
  () =>
    of({ status: 200, text: JSON.stringify(body), headers: { get: () => null } });

const clientOf = (body: unknown) =>
  createClient({ url: 'https://x', token: 'a-token', transport: answering(body) });

const member = (id: unknown, display_name: unknown = 'Ada') => ({
  identity: { ...handle, identity_id: id, display_name },
});
const watch = { index: '1' };

describe('a member that cannot be read', () => {
  it('stands beside the others on its page', async () => {
    const client = clientOf({ members: [member('A'), member('B', null), 7], watch, anchor: 'next' });
    const page = await firstValueFrom(client.group.getMembers({ group_id: 'g' }));
    deepStrictEqual(page, {
      members: [member('A')],
      malformed: [
        {
          identity_id: 'B',
          raw: member('B', null),
          errors: [{ path: 'members[1].identity.display_name', expected: 'string', got: 'null' }],
        },
        { raw: 7, errors: [{ path: 'members[2]', expected: 'GroupMember', got: 'a number' }] },
      ],
      watch,
      anchor: 'next',
    });
    deepStrictEqual(GroupMemberList.encode(page), {
      members: [member('A'), member('B', null), 7],
      watch,
      anchor: 'next',
    });
  });

  it('changes nothing about a page without one: it is returned as it came', () => {
    const page = { members: [member('A')], watch, more: 1 };
    strictEqual((GroupMemberList.decode(page) as { readonly right?: unknown }).right, page);
    // What a server says under this name comes from nowhere.
    deepStrictEqual((GroupMemberList.decode({ ...page, malformed: 5 }) as { right?: unknown }).right, page);
  });

  it('is left out of `members()`, whose walk goes on', async () => {
    const emulator = createEmulator();
    const group_id = emulator.addGroup();
    const people = Array.from({ length: 20 }, () => emulator.addIdentity());
    for (const { identity_id } of people) emulator.join(group_id, identity_id);
    const spoilt = people[7]!.identity_id;
    emulator.fault({ kind: 'member_malformed', identity_id: spoilt }, { times: Infinity });
    const client = createClient({
      url: emulator.url,
      transport: emulator.transport,
      token: people[0]!.token,
    });
    const all = await lastValueFrom(client.group.members(group_id, { count: 5 }).pipe(toArray()));
    deepStrictEqual(
      all.map(({ identity }) => identity.identity_id),
      people.map(({ identity_id }) => identity_id).filter(id => id !== spoilt),
    );
    const pages = [
      { members: [7], watch, anchor: 'a' },
      { members: [member('A')], watch },
    ];
    const transport: Transport = request => defer(() => answering(pages.shift())(request));
    const { group: api } = createClient({ url: 'https://x', token: 'a-token', transport });
    strictEqual((await lastValueFrom(api.members('g').pipe(toArray()))).length, 1);
  });

  it('has neither left nor changed in a roster, and others that join or leave at the same time are seen', () => {
    for (const spoilt of [2, 15]) {
      const { client, emulator, group_id, people, spoil, pass } = group();
      const seen: Roster[] = [];
      const watching = client.group.roster(group_id, { count: 5 }).subscribe(roster => seen.push(roster));
      pass(5_000);
      const before = seen.at(-1)?.members.get(people[spoilt]!);
      const restore = spoil(people[spoilt]!);
      emulator.leave(group_id, people[0]!);
      pass(70_000);
      const last = seen.at(-1);
      deepStrictEqual(
        [last?.members.size, last?.malformed?.map(each => each.identity_id)],
        [19, [people[spoilt]]],
      );
      strictEqual(last?.members.get(people[spoilt]!), before);
      restore();
      emulator.updatePresence(people[spoilt]!, { status: 'online' });
      pass(70_000);
      deepStrictEqual(
        seen.at(-1)?.updated.map(({ identity }) => identity.identity_id),
        [people[spoilt]],
      );
      strictEqual('malformed' in seen.at(-1)!, false);
      deepStrictEqual(
        seen
          .slice(1)
          .flatMap(({ joined, left }) => [...joined, ...left].map(each => each.identity.identity_id)),
        [people[0]],
      );
      watching.unsubscribe();
    }
  });

  it('leaves like anyone else, also if it could never be read', () => {
    const { client, emulator, group_id, people, spoil, pass } = group();
    spoil(people[3]!);
    const states: RosterState[] = [];
    const watching = rosterState(client, group_id).subscribe(state => states.push(state));
    pass(2_000);
    deepStrictEqual([states.at(-1)?.members?.size, states.at(-1)?.malformed?.length], [19, 1]);
    emulator.leave(group_id, people[3]!);
    pass(10_000);
    deepStrictEqual([states.at(-1)?.members?.size, states.at(-1)?.malformed], [19, undefined]);
    watching.unsubscribe();
  });
});

describe('an answer', () => {
  it('has at most 10,000 members or events, and more are not decoded', async () => {
    const many = (count: number) => Array<number>(count).fill(1);
    const pathOf = async (body: object) => {
      const client = clientOf({ ...body, watch });
      const answer$ = 'members' in body ? client.group.getMembers({ group_id: 'g' }) : client.events.watch();
      return lastValueFrom<object>(answer$).then(
        answer => Object.values(answer).map(value => (value as { readonly length?: number }).length),
        (error: unknown) => (isDecodeError(error) ? `${error.path}: ${error.expected}` : error),
      );
    };
    deepStrictEqual(
      await Promise.all([
        pathOf({ members: many(10_000) }),
        pathOf({ members: many(10_001) }),
        pathOf({ events: many(10_000) }),
        pathOf({ events: many(10_001) }),
        // Each kind of an event is an event.
        pathOf({ events: [{ ts: '', kind: Object.fromEntries(many(10_001).map((n, i) => [`k${i}`, n])) }] }),
      ]),
      [
        [0, undefined, 10_000],
        'members: array of at most 10000 members',
        [10_000, undefined],
        'events: array of at most 10000 events',
        'events: array of at most 10000 events',
      ],
    );
  });

  it('says about five errors of a value that has millions', async () => {
    const games = Array<number>(100_000).fill(1);
    const ports = Object.fromEntries(games.map((n, i) => [i, n]));
    const events = [
      { ts: '', kind: { identity_update: { identity: { games } } } },
      { ts: '', kind: { matchmaker_lobby_join: { ports } } },
    ];
    const list = await firstValueFrom(clientOf({ events, watch }).events.watch());
    const errors = list.events.map(event => (event.kind === 'malformed' ? event.errors.length : 0));
    ok(
      errors.every(count => count >= 5 && count <= 10),
      String(errors),
    );
  });
});
