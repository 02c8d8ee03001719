import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert';
import { lastValueFrom, map, take, toArray, VirtualTimeScheduler } from 'rxjs';
import { createClient, isInputError, isStatusError, type Client } from 'lobby-rx';
import {
  createEmulator,
  listen,
  liven,
  seedWorld,
  type EmulatedRequest,
  type EmulatedResponse,
  type Emulator,
} from 'lobby-rx/emulator';

/** What an emulator answers to a request, as far as it has by now. */
function ask(
  emulator: Emulator,
  request: Partial<EmulatedRequest>,
): { answer?: EmulatedResponse; readonly stop: () => void } {
  const asked: { answer?: EmulatedResponse; readonly stop: () => void } = {
    stop: () => subscription.unsubscribe(),
  };
  const subscription = emulator
    .handle({ method: 'GET', url: '/', headers: {}, ...request })
    .subscribe(answer => (asked.answer = answer));
  return asked;
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const json = (answer?: EmulatedResponse) => JSON.parse(answer?.body ?? 'null') as Record<string, unknown>;
const codeOf = (answer?: EmulatedResponse) => `${answer?.status} ${String(json(answer).code)}`;

describe('the emulator', () => {
  let time: VirtualTimeScheduler;
  let emulator: Emulator;
  let me: { identity_id: string; token: string };
  let group_id: string;
  /** Lets the time of the world pass, in ms. */
  const pass = (ms: number) => {
    time.maxFrames = time.now() + ms;
    time.schedule(() => undefined, ms);
    time.flush();
  };

  beforeEach(() => {
    time = new VirtualTimeScheduler();
    emulator = createEmulator({ scheduler: time });
    me = emulator.addIdentity();
    group_id = emulator.addGroup();
    emulator.join(group_id, me.identity_id);
  });

  const events = (index?: string) =>
    ask(emulator, {
      url: `/api/identity/events/live${index === undefined ? '' : `?watch_index=${index}`}`,
      ...bearer(me.token),
    });
  const members = (query = '') =>
    ask(emulator, { url: `/group/v1/groups/${group_id}/members${query}`, ...bearer(me.token) });
  const indexOf = (answer?: EmulatedResponse) => (json(answer).watch as { index: string }).index;

  it('answers without an index at once, empty, with where now is', () => {
    emulator.publish(me.identity_id, { before: 1 });
    const { answer } = events();
    deepStrictEqual(json(answer).events, []);
    match(indexOf(answer), /^\d+$/);
  });

  it('blocks until something happens, collects what happens with it, and answers it in order', () => {
    const watch = events(indexOf(events().answer));
    pass(20_000);
    strictEqual(watch.answer, undefined);
    emulator.publish(me.identity_id, { one: 1 });
    pass(99);
    strictEqual(watch.answer, undefined);
    emulator.publish(me.identity_id, { two: 2 });
    pass(1);
    const kinds = (json(watch.answer).events as { kind: object }[]).map(({ kind }) => Object.keys(kind)[0]);
    deepStrictEqual(kinds, ['one', 'two']);
    strictEqual(events(indexOf(watch.answer)).answer, undefined);
  });

  it('answers an idle watch after its block, empty, with a new index', () => {
    const index = indexOf(events().answer);
    const watch = events(index);
    pass(39_999);
    strictEqual(watch.answer, undefined);
    pass(1);
    deepStrictEqual(json(watch.answer).events, []);
    ok(Number(indexOf(watch.answer)) > Number(index));
  });

  it('answers at once what happened since an index, and an index that is too old with nothing', () => {
    const index = indexOf(events().answer);
    emulator.publish(me.identity_id, { one: 1 });
    strictEqual((json(events(index).answer).events as unknown[]).length, 1);
    pass(300_100);
    deepStrictEqual(json(events(index).answer).events, []);
  });

  it('never gives an index twice, nor one that goes back', () => {
    let last = 0;
    for (let i = 0; i < 100; i++) {
      if (i % 3 === 0) emulator.publish(me.identity_id, { i });
      const index = Number(indexOf(events(i % 2 ? String(last) : undefined).answer ?? events().answer));
      ok(index > last);
      last = index;
    }
  });

  it('fails at an empty index or anchor, as deployed servers do', () => {
    strictEqual(events('').answer?.status, 500);
    strictEqual(events('x').answer?.status, 500);
    strictEqual(members('?anchor=').answer?.status, 500);
    strictEqual(codeOf(members('?count=0').answer), '400 API_BAD_QUERY_PARAMETER');
  });

  it('answers a watch of members on joins, leaves and presence, and when idle the whole page again', () => {
    const friend = emulator.addIdentity().identity_id;
    const next = (act: () => void) => {
      const watch = members(`?watch_index=${indexOf(members().answer)}`);
      pass(1_000);
      strictEqual(watch.answer, undefined);
      act();
      pass(100);
      return (json(watch.answer).members as { identity: { presence: unknown } }[]).map(
        ({ identity }) => identity.presence,
      );
    };
    deepStrictEqual(
      next(() => emulator.join(group_id, friend)),
      [null, null],
    );
    const presence = { status: 'away', update_ts: new Date(time.now()).toISOString() };
    presence.update_ts = new Date(time.now() + 1_000).toISOString();
    deepStrictEqual(
      next(() => emulator.updatePresence(friend, { status: 'away' })),
      [null, presence],
    );
    deepStrictEqual(
      next(() => emulator.leave(group_id, friend)),
      [null],
    );
    const idle = members(`?watch_index=${indexOf(members().answer)}`);
    pass(40_000);
    strictEqual((json(idle.answer).members as unknown[]).length, 1);
  });

  it('gives pages of 16, with an anchor wherever a page is full', () => {
    for (let i = 0; i < 15; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    const first = json(members().answer);
    strictEqual((first.members as unknown[]).length, 16);
    const last = json(members(`?anchor=${String(first.anchor)}`).answer);
    deepStrictEqual([(last.members as unknown[]).length, last.anchor], [0, null]);
  });

  it('lets only identities see groups, and only those that they are members of', () => {
    const url = `/group/v1/groups/${group_id}/members`;
    const stranger = emulator.addIdentity();
    strictEqual(codeOf(ask(emulator, { url }).answer), '401 CLAIMS_MISSING_ENTITLEMENT');
    strictEqual(codeOf(ask(emulator, { url, ...bearer('x') }).answer), '401 CLAIMS_MISSING_ENTITLEMENT');
    strictEqual(
      codeOf(ask(emulator, { url, ...bearer(emulator.addLobby().token) }).answer),
      '401 CLAIMS_MISSING_ENTITLEMENT',
    );
    strictEqual(codeOf(ask(emulator, { url, ...bearer(stranger.token) }).answer), '403 GROUP_NOT_MEMBER');
    strictEqual(
      codeOf(ask(emulator, { url: '/group/v1/groups/x/members', ...bearer(me.token) }).answer),
      '404 GROUP_NOT_FOUND',
    );
    emulator.expireToken(me.token);
    strictEqual(codeOf(members().answer), '401 CLAIMS_ENTITLEMENT_EXPIRED');
    strictEqual(ask(emulator, { url, ...bearer(emulator.renewToken(me.token)) }).answer?.status, 200);
  });

  describe('players', () => {
    let lobby: { lobby_id: string; token: string };
    beforeEach(() => (lobby = emulator.addLobby({ maxPlayers: 2 })));
    const say = (what: string, player_token: unknown, token = lobby.token) => {
      const body = JSON.stringify({ player_token });
      return ask(emulator, { method: 'POST', url: `/matchmaker/v1/players/${what}`, body, ...bearer(token) })
        .answer;
    };
    const full = () => throws(() => emulator.reservePlayer(lobby.lobby_id), isInputError);

    it('go from reserved to connected, once', () => {
      const player = emulator.reservePlayer(lobby.lobby_id);
      strictEqual(emulator.playerState(player), 'reserved');
      deepStrictEqual([say('connected', player)?.status, emulator.playerState(player)], [200, 'connected']);
      strictEqual(codeOf(say('connected', player)), '400 MATCHMAKER_PLAYER_ALREADY_CONNECTED');
    });

    it('expire after two minutes, and once connected they do not', () => {
      const [late, early] = [emulator.reservePlayer(lobby.lobby_id), emulator.reservePlayer(lobby.lobby_id)];
      say('connected', early);
      pass(119_999);
      strictEqual(emulator.playerState(late), 'reserved');
      pass(1);
      strictEqual(codeOf(say('connected', late)), '400 MATCHMAKER_PLAYER_REGISTRATION_EXPIRED');
      deepStrictEqual([emulator.playerState(late), emulator.playerState(early)], ['expired', 'connected']);
    });

    it('hold a slot while reserved or connected, and give it back', () => {
      const [first, second] = [
        emulator.reservePlayer(lobby.lobby_id),
        emulator.reservePlayer(lobby.lobby_id),
      ];
      full();
      say('connected', first);
      full();
      pass(120_000);
      strictEqual(emulator.playerState(second), 'expired');
      emulator.reservePlayer(lobby.lobby_id);
      full();
      strictEqual(say('disconnected', first)?.status, 200);
      strictEqual(codeOf(say('connected', first)), '400 MATCHMAKER_PLAYER_REMOVED');
      emulator.reservePlayer(lobby.lobby_id);
      deepStrictEqual(emulator.playersIn(lobby.lobby_id), { reserved: 2, connected: 0 });
    });

    it('are refused with an unknown token, for another lobby, and to whoever is no lobby', () => {
      const player = emulator.reservePlayer(lobby.lobby_id);
      for (const token of ['x', '', 7, null, undefined])
        strictEqual(codeOf(say('connected', token)), '400 TOKEN_ERROR');
      const other = emulator.addLobby();
      strictEqual(codeOf(say('connected', player, other.token)), '400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY');
      strictEqual(codeOf(say('connected', player, me.token)), '401 CLAIMS_MISSING_ENTITLEMENT');
      strictEqual(emulator.playerState(player), 'reserved');
    });
  });

  it('answers what it does not serve in JSON, and every browser', () => {
    strictEqual(codeOf(ask(emulator, { url: '/nowhere' }).answer), '404 API_NOT_FOUND');
    strictEqual(
      codeOf(ask(emulator, { method: 'DELETE', url: '/api/identity/events/live' }).answer),
      '405 API_METHOD_NOT_ALLOWED',
    );
    strictEqual(
      codeOf(ask(emulator, { method: 'POST', url: '/matchmaker/v1/players/connected', body: '{' }).answer),
      '400 API_BAD_BODY',
    );
    const { answer } = ask(emulator, { method: 'OPTIONS', url: '/api/identity/events/live' });
    deepStrictEqual(
      [
        answer?.status,
        answer?.headers['access-control-allow-headers'],
        answer?.headers['access-control-expose-headers'],
      ],
      [204, 'Content-Type, Authorization', 'rvt-ray-id'],
    );
    match(ask(emulator, {}).answer?.headers['rvt-ray-id'] ?? '', /^[0-9a-f-]{36}$/);
  });

  it('records what it was asked, and what is pending', () => {
    const { stop } = events(indexOf(events().answer));
    deepStrictEqual(
      emulator.requests.map(({ status, pending }) => [status, pending]),
      [
        [200, false],
        [undefined, true],
      ],
    );
    strictEqual(emulator.requests[0]?.token, me.token);
    stop();
    deepStrictEqual(
      emulator.requests.map(({ pending }) => pending),
      [false, false],
    );
  });

  it('tells friends of each other, and makes the same world of the same seed', () => {
    const friend = emulator.addIdentity({ display_name: 'Grace' });
    emulator.befriend(me.identity_id, friend.identity_id);
    const watch = events(indexOf(events().answer));
    emulator.updateProfile(friend.identity_id, { bio: 'x' });
    pass(100);
    match(watch.answer?.body ?? '', /"display_name":"Grace".*"is_mutual_following":true/);

    const worlds = [7, 7, 8].map(seed => seedWorld(createEmulator({ seed }), { seed, members: 5 }));
    deepStrictEqual(worlds[0], worlds[1]);
    ok(worlds[0]?.identityToken !== worlds[2]?.identityToken);
  });

  it('refuses commands about what it has never given out', () => {
    for (const act of [
      () => emulator.join('x', me.identity_id),
      () => emulator.join(group_id, 'x'),
      () => emulator.publish('x', {}),
      () => emulator.reservePlayer('x'),
      () => emulator.sendLobbyJoin('x', emulator.addLobby().lobby_id),
      () => emulator.expireToken('x'),
    ]) {
      throws(act, isInputError);
    }
  });

  it('lives by itself when asked to, the same story for the same seed', () => {
    const story = () => {
      const clock = new VirtualTimeScheduler();
      const stage = createEmulator({ scheduler: clock });
      const moves: string[] = [];
      liven(stage, seedWorld(stage, { members: 20 }), { scheduler: clock })
        .pipe(take(50))
        .subscribe(move => moves.push(move));
      clock.flush();
      return moves;
    };
    const moves = story();
    strictEqual(moves.length, 50);
    deepStrictEqual([...new Set(moves)].sort(), ['chat', 'lobby', 'members', 'presence', 'profile']);
    deepStrictEqual(story(), moves);
  });
});

describe('an emulator that listens', () => {
  it('says that a port is taken, and frees it when closed', async () => {
    const emulator = createEmulator();
    const server = await listen(emulator);
    await rejects(listen(emulator, { port: server.port }), { code: 'EADDRINUSE' });
    await server.close();
    await (await listen(emulator, { port: server.port })).close();
  });

  it('answers as it does in process: a client sees no difference', async () => {
    const story = async (client: Client, emulator: Emulator, group_id: string) => {
      const codes: unknown[] = [];
      for (const id of [group_id, 'nowhere']) {
        const outcome = await lastValueFrom(client.group.getMembers({ group_id: id })).catch(
          (e: unknown) => e,
        );
        codes.push(
          isStatusError(outcome)
            ? [outcome.code, typeof outcome.rayId]
            : (outcome as { members: unknown[] }).members.length,
        );
      }
      const bios$ = client.events.feed.identityUpdate$.pipe(
        map(({ identity }) => identity.bio),
        take(2),
        toArray(),
      );
      const bios = lastValueFrom(bios$);
      while (emulator.requests.every(({ pending }) => !pending)) await new Promise(setImmediate);
      const { identityId } = ids;
      emulator.updateProfile(identityId, { bio: 'one' });
      emulator.updateProfile(identityId, { bio: 'two' });
      return [...codes, ...(await bios)];
    };
    const ids = { identityId: '' };
    const outcomes: unknown[] = [];
    for (const remote of [false, true]) {
      const emulator = createEmulator({ collectTime: 0 });
      const { identity_id, token } = emulator.addIdentity();
      const group_id = emulator.addGroup();
      emulator.join(group_id, identity_id);
      ids.identityId = identity_id;
      const server = remote ? await listen(emulator) : undefined;
      const client = server
        ? createClient({ ...server, token })
        : createClient({ ...emulator.urls, transport: emulator.transport, token });
      outcomes.push(await story(client, emulator, group_id));
      await server?.close();
    }
    deepStrictEqual(outcomes[0], [1, ['GROUP_NOT_FOUND', 'string'], 'one', 'two']);
    deepStrictEqual(outcomes[1], outcomes[0]);
  });

  it('refuses a body that is far too large, and lives on', async () => {
    const emulator = createEmulator();
    const server = await listen(emulator);
    const send = (body: string) =>
      fetch(`${server.matchmakerUrl}/v1/players/connected`, { method: 'POST', body });
    strictEqual((await send('x'.repeat(100_000))).status, 413);
    strictEqual((await send('{}')).status, 401);
    await server.close();
  });
});

describe('a saved world', () => {
  it('goes on in another emulator as if nothing had happened', () => {
    const time = new VirtualTimeScheduler();
    const first = createEmulator({ scheduler: time });
    const world = seedWorld(first, { members: 20 });
    const { answer } = ask(first, { url: '/api/identity/events/live', ...bearer(world.identityToken) });
    const index = (json(answer).watch as { index: string }).index;
    first.updatePresence(world.friendIds[0]!, { status: 'online' });
    first.sendLobbyJoin(world.identityId, world.lobbyId);

    const saved = first.save();
    deepStrictEqual(JSON.parse(JSON.stringify(saved)), saved);
    const second = createEmulator({ scheduler: time, saved });
    const both = [first, second].map(emulator => [
      ask(emulator, { url: `/api/identity/events/live?watch_index=${index}`, ...bearer(world.identityToken) })
        .answer?.body,
      emulator.playersIn(world.lobbyId),
      emulator.playerState(world.playerToken),
    ]);
    deepStrictEqual(both[1], both[0]);
    match(JSON.stringify(both[0]), /identity_update.*matchmaker_lobby_join/);
    second.leave(world.groupId, world.identityId);
    strictEqual(first.save().groups[0]?.[1].members.length, 20);
  });
});
