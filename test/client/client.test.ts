import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import {
  concatMap,
  filter,
  firstValueFrom,
  lastValueFrom,
  map,
  of,
  take,
  toArray,
  type Observable,
} from 'rxjs';
import { createClient, isStatusError, type Client, type GroupMember, type Transport } from 'lobby-rx';
import { rawEventsWatch } from '../../src/endpoint/index.js';
import { createEmulator, listen, type Emulator, type EmulatorServer } from 'lobby-rx/emulator';
import { handle } from '../payload.js';
import { waitUntil } from '../wait-until.js';

/** Resolves after everything that is pending in the process has run. */
const settled = () => new Promise(resolve => setImmediate(resolve));

describe('a client of the emulator, over HTTP', () => {
  let emulator: Emulator;
  let server: EmulatorServer;
  let me: { identity_id: string; token: string };
  let group_id: string;
  let client: Client;

  beforeEach(async () => {
    emulator = createEmulator({ collectTime: 0 });
    me = emulator.addIdentity({ display_name: 'Ada' });
    group_id = emulator.addGroup();
    emulator.join(group_id, me.identity_id);
    server = await listen(emulator);
    client = createClient({ ...server.urls, token: me.token });
  });
  afterEach(() => server.close());

  const pending = () => emulator.requests.filter(request => request.pending).length;

  it('lists one page of members', async () => {
    const { members, anchor, watch } = await lastValueFrom(client.group.getMembers({ group_id }));
    deepStrictEqual(
      members.map(({ identity }) => identity.display_name),
      ['Ada'],
    );
    strictEqual(anchor, null);
    ok(/^\d+$/.test(watch.index));
  });

  it('has light clients for other tokens, each with a feed of its own, over the same transport', async () => {
    const you = emulator.addIdentity();
    const yours = client.as(() => you.token);
    const seen: string[] = [];
    for (const [name, { events }] of Object.entries({ mine: client, yours })) {
      events.feed.unknown$.subscribe(({ name: kind }) => seen.push(`${name}: ${kind}`));
    }
    await waitUntil(() => emulator.requests.filter(({ url }) => url.includes('watch_index')).length === 2);
    emulator.publish(you.identity_id, { hello: {} });
    await waitUntil(() => seen.length > 0);
    emulator.publish(me.identity_id, { hello: {} });
    await waitUntil(() => seen.length > 1);
    deepStrictEqual(seen, ['yours: hello', 'mine: hello']);
    throws(() => client.as('Bearer x'), /token must be/);
    deepStrictEqual(Object.keys(yours), Object.keys(client));
  });

  it('has events as they are sent', async () => {
    const sent = { chat_message: { id: 12, of: null } };
    const raw = firstValueFrom(
      client.watch(rawEventsWatch, {}).pipe(filter(({ events }) => events.length > 0)),
    );
    await waitUntil(() => emulator.requests.some(({ url }) => url.includes('watch_index')));
    const ts = emulator.publish(me.identity_id, sent);
    deepStrictEqual((await raw).events, [{ kind: sent, ts }]);
  });

  it('pages through all members, each once, and ends', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `Friend ${i}`);
    for (const display_name of names)
      emulator.join(group_id, emulator.addIdentity({ display_name }).identity_id);
    const sizes$ = client.group
      .memberPages(group_id, { count: 10 })
      .pipe(map(({ members }) => members.length));
    deepStrictEqual(await lastValueFrom(sizes$.pipe(toArray())), [10, 10, 10, 10, 1]);
    const all = await lastValueFrom(client.group.members(group_id).pipe(toArray()));
    deepStrictEqual(
      all.map(({ identity }) => identity.display_name),
      ['Ada', ...names],
    );
  });

  it('ends at the empty page that follows a full last page', async () => {
    for (let i = 0; i < 15; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    const pages = await lastValueFrom(client.group.memberPages(group_id).pipe(toArray()));
    deepStrictEqual(
      pages.map(({ members }) => members.length),
      [16, 0],
    );
  });

  it('confirms a player once', async () => {
    const lobby = emulator.addLobby();
    const gate = createClient({ ...server.urls, token: lobby.token });
    const player_token = emulator.reservePlayer(lobby.lobby_id);
    const confirm = () => lastValueFrom(gate.matchmaker.players.connected({ player_token }));
    await confirm();
    const error = await confirm().catch((e: unknown) => e);
    ok(isStatusError(error));
    deepStrictEqual([error.status, error.code], [400, 'MATCHMAKER_PLAYER_ALREADY_CONNECTED']);
    ok(!JSON.stringify(error).includes(player_token));
  });

  it('follows live events, with one poll for all subscribers', async () => {
    const kinds = lastValueFrom(
      client.events.feed.all$.pipe(
        map(({ kind }) => kind),
        take(4),
        toArray(),
      ),
    );
    const bios = lastValueFrom(
      client.events.feed.identityUpdate$.pipe(
        map(({ identity }) => identity.bio),
        take(2),
        toArray(),
      ),
    );
    const shown = firstValueFrom(client.events.feed.notification$);
    await waitUntil(() =>
      emulator.requests.some(({ url, pending }) => pending && url.includes('watch_index')),
    );
    strictEqual(emulator.requests.length, 2);

    const lobby = emulator.addLobby();
    emulator.updateProfile(me.identity_id, { bio: 'one' });
    emulator.sendLobbyJoin(me.identity_id, lobby.lobby_id);
    emulator.publish(
      me.identity_id,
      { chat_message: { text: 'hi' } },
      { title: 'Hi', description: '', thumbnail_url: '', url: '' },
    );
    emulator.updateProfile(me.identity_id, { bio: 'two' });

    deepStrictEqual(await kinds, ['identity_update', 'matchmaker_lobby_join', 'unknown', 'identity_update']);
    deepStrictEqual(await bios, ['one', 'two']);
    strictEqual((await shown).notification.title, 'Hi');
  });

  it('emits the members when they change, and nothing otherwise', async () => {
    const friend = emulator.addIdentity({ display_name: 'Grace' });
    const seen: string[][] = [];
    const watching = client.group.watchMembers(group_id).subscribe(({ members }) => {
      seen.push(
        members.map(({ identity }) => `${identity.display_name} ${identity.presence?.status ?? '-'}`),
      );
    });
    await waitUntil(() => seen.length === 1 && pending() === 1);
    emulator.join(group_id, friend.identity_id);
    await waitUntil(() => seen.length === 2 && pending() === 1);
    emulator.updatePresence(friend.identity_id, { status: 'online' });
    await waitUntil(() => seen.length === 3 && pending() === 1);
    emulator.leave(group_id, friend.identity_id);
    await waitUntil(() => seen.length === 4);
    watching.unsubscribe();
    deepStrictEqual(seen, [['Ada -'], ['Ada -', 'Grace -'], ['Ada -', 'Grace online'], ['Ada -']]);
  });

  it('closes the socket of a hanging poll at once on unsubscribe', async () => {
    const watching = client.events.batches().subscribe();
    await waitUntil(() => pending() === 1 && emulator.requests.length === 2);
    watching.unsubscribe();
    await waitUntil(() => pending() === 0);
    await waitUntil(async () => (await server.sockets()) === 0);
    strictEqual(emulator.requests.length, 2);
  });

  it('loses no event between two polls', async () => {
    const total = 300;
    const got$ = client.events.batches().pipe(
      concatMap(({ events }) => events),
      map(event => (event.kind === 'unknown' ? Number(event.payload) : NaN)),
      take(total),
      toArray(),
    );
    const finished = lastValueFrom(got$);
    await waitUntil(() => pending() === 1 && emulator.requests.length === 2);
    for (let n = 0; n < total; n++) {
      emulator.publish(me.identity_id, { tick: n });
      if (n % 3 === 0) await settled();
    }
    deepStrictEqual(
      await finished,
      Array.from({ length: total }, (_, n) => n),
    );
  });

  it('continues with a renewed token if one expires during a watch', async () => {
    let token = me.token;
    let renewals = 0;
    const renew = () => {
      renewals++;
      token = emulator.renewToken(token);
      return token;
    };
    const renewing = createClient({ ...server.urls, token: { get: () => token, renew } });
    const bios: string[] = [];
    const watching = renewing.events.feed.identityUpdate$.subscribe(({ identity }) =>
      bios.push(identity.bio),
    );
    await waitUntil(() => pending() === 1 && emulator.requests.length === 2);
    emulator.expireToken(token);
    emulator.updateProfile(me.identity_id, { bio: 'one' });
    await waitUntil(() => bios.length === 1 && pending() === 1);
    emulator.updateProfile(me.identity_id, { bio: 'two' });
    await waitUntil(() => bios.length === 2);
    watching.unsubscribe();
    strictEqual(renewals, 1);
  });

  it('ends the watch of a group that the caller is not a member of', async () => {
    emulator.leave(group_id, me.identity_id);
    const error = await lastValueFrom(client.group.watchMembers(group_id)).catch((e: unknown) => e);
    ok(isStatusError(error) && error.code === 'GROUP_NOT_MEMBER');
  });
});

describe('a client of an untrusted service', () => {
  const urls = {
    groupUrl: 'https://g.example',
    matchmakerUrl: 'https://m.example',
    apiUrl: 'https://a.example',
  };
  const answering = (answer: (query: URLSearchParams) => unknown): { client: Client; asked: string[] } => {
    const asked: string[] = [];
    const transport: Transport = ({ url }) => {
      asked.push(url);
      const text = JSON.stringify(answer(new URL(url).searchParams));
      return of({ status: 200, headers: { get: () => null }, text });
    };
    return { asked, client: createClient({ ...urls, token: 't', transport }) };
  };
  const member = (n: number): GroupMember => ({ identity: { ...handle, identity_id: `identity-${n}` } });
  const ids = (members$: Observable<GroupMember>) =>
    lastValueFrom(
      members$.pipe(
        map(({ identity }) => identity.identity_id),
        toArray(),
      ),
    );

  it('sends one request if one member of a thousand pages is taken', async () => {
    const { asked, client } = answering(query => {
      const page = Number(query.get('anchor') ?? 0);
      return { members: [member(page)], anchor: String(page + 1), watch: { index: '1' } };
    });
    deepStrictEqual(await ids(client.group.members('g').pipe(take(1))), ['identity-0']);
    strictEqual(asked.length, 1);
  });

  it('emits no member twice, and ends, if count is ignored and the second page repeats the first', async () => {
    const everyone = [1, 2, 3, 4].map(member);
    const { asked, client } = answering(query => ({
      members: query.get('anchor') ? everyone.slice(1) : everyone,
      anchor: query.get('anchor') ? '9' : '8',
      watch: { index: '1' },
    }));
    deepStrictEqual(await ids(client.group.members('g', { count: 2 })), [
      'identity-1',
      'identity-2',
      'identity-3',
      'identity-4',
    ]);
    strictEqual(asked.length, 2);
  });

  it('emits no member twice if a page begins with the end of the previous one', async () => {
    const { client } = answering(query => {
      const first = Number(query.get('anchor') ?? 0);
      const members = [0, 1, 2].map(i => member(first + i));
      return { members, anchor: first < 6 ? String(first + 2) : null, watch: { index: '1' } };
    });
    deepStrictEqual(
      await ids(client.group.members('g')),
      [0, 1, 2, 3, 4, 5, 6, 7, 8].map(n => `identity-${n}`),
    );
  });

  it('emits no member twice if there is an empty page between two others', async () => {
    const book: Record<string, [number[], string | null]> = {
      0: [[1, 2], '1'],
      1: [[], '2'],
      2: [[2, 3], null],
    };
    const { client } = answering(query => {
      const [members, anchor] = book[query.get('anchor') ?? '0']!;
      return { members: members.map(member), anchor, watch: { index: '1' } };
    });
    deepStrictEqual(await ids(client.group.members('g')), ['identity-1', 'identity-2', 'identity-3']);
  });

  it('treats the same members in another order as unchanged', async () => {
    const orders = [
      [1, 2],
      [2, 1],
      [2, 1, 3],
    ];
    let asked = 0;
    const { client } = answering(() => ({
      members: (orders[asked++] ?? []).map(member),
      watch: { index: String(asked) },
    }));
    const seen = await lastValueFrom(
      client.group.watchMembers('g').pipe(
        map(({ members }) => members.length),
        take(2),
        toArray(),
      ),
    );
    deepStrictEqual(seen, [2, 3]);
    strictEqual(asked, 3);
  });
});
