import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { isInputError } from 'lobby-rx';
import type { EmulatedResponse, Emulator } from 'lobby-rx/emulator';
import { bearer, codeOf, createFixture, indexOf, json, send } from './fixture.js';

describe('the emulated service', () => {
  let fixture: ReturnType<typeof createFixture>;
  let emulator: Emulator;
  let pass: (ms: number) => void;
  let me: { identity_id: string; token: string };
  let group_id: string;
  beforeEach(() => {
    fixture = createFixture();
    ({ emulator, pass, me, group_id } = fixture);
  });

  const events = (index?: string) =>
    send(emulator, {
      url: `/api/identity/events/live${index === undefined ? '' : `?watch_index=${index}`}`,
      ...bearer(me.token),
    });
  const members = (query = '') =>
    send(emulator, { url: `/group/v1/groups/${group_id}/members${query}`, ...bearer(me.token) });

  it('answers immediately without an index: no events, and the current index', () => {
    emulator.publish(me.identity_id, { before: 1 });
    const { answer } = events();
    deepStrictEqual(json(answer).events, []);
    match(indexOf(answer), /^\d+$/);
  });

  it('blocks until there is an event, collects events for a short time, and answers in order', () => {
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

  it('answers an idle watch after the block time: no events, and a new index', () => {
    const index = indexOf(events().answer);
    const watch = events(index);
    pass(39_999);
    strictEqual(watch.answer, undefined);
    pass(1);
    deepStrictEqual(json(watch.answer).events, []);
    ok(Number(indexOf(watch.answer)) > Number(index));
  });

  it('answers immediately with the events since the index, and without events if it is too old', () => {
    const index = indexOf(events().answer);
    emulator.publish(me.identity_id, { one: 1 });
    strictEqual((json(events(index).answer).events as unknown[]).length, 1);
    pass(300_100);
    deepStrictEqual(json(events(index).answer).events, []);
  });

  it('never returns the same index twice, or an older one', () => {
    let last = 0;
    for (let i = 0; i < 100; i++) {
      if (i % 3 === 0) emulator.publish(me.identity_id, { i });
      const index = Number(indexOf(events(i % 2 ? String(last) : undefined).answer ?? events().answer));
      ok(index > last);
      last = index;
    }
  });

  it('fails on an empty index or anchor, as deployed servers do', () => {
    strictEqual(events('').answer?.status, 500);
    strictEqual(events('x').answer?.status, 500);
    strictEqual(members('?anchor=').answer?.status, 500);
    strictEqual(codeOf(members('?count=0').answer), '400 API_BAD_QUERY_PARAMETER');
  });

  it('answers a watch of members on joins, leaves and presence changes, and with the same page after the block time', () => {
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
    const presence = { status: 'away', update_ts: new Date(fixture.scheduler.now()).toISOString() };
    presence.update_ts = new Date(fixture.scheduler.now() + 1_000).toISOString();
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

  it('returns pages of 16, with an anchor if a page is full', () => {
    for (let i = 0; i < 15; i++) emulator.join(group_id, emulator.addIdentity().identity_id);
    const first = json(members().answer);
    strictEqual((first.members as unknown[]).length, 16);
    const last = json(members(`?anchor=${String(first.anchor)}`).answer);
    deepStrictEqual([(last.members as unknown[]).length, last.anchor], [0, null]);
  });

  it('returns members only to identities that are members themselves', () => {
    const url = `/group/v1/groups/${group_id}/members`;
    const stranger = emulator.addIdentity();
    strictEqual(codeOf(send(emulator, { url }).answer), '401 CLAIMS_MISSING_ENTITLEMENT');
    strictEqual(codeOf(send(emulator, { url, ...bearer('x') }).answer), '401 CLAIMS_MISSING_ENTITLEMENT');
    strictEqual(
      codeOf(send(emulator, { url, ...bearer(emulator.addLobby().token) }).answer),
      '401 CLAIMS_MISSING_ENTITLEMENT',
    );
    strictEqual(codeOf(send(emulator, { url, ...bearer(stranger.token) }).answer), '403 GROUP_NOT_MEMBER');
    strictEqual(
      codeOf(send(emulator, { url: '/group/v1/groups/x/members', ...bearer(me.token) }).answer),
      '404 GROUP_NOT_FOUND',
    );
    emulator.expireToken(me.token);
    strictEqual(codeOf(members().answer), '401 CLAIMS_ENTITLEMENT_EXPIRED');
    strictEqual(send(emulator, { url, ...bearer(emulator.renewToken(me.token)) }).answer?.status, 200);
  });

  describe('players', () => {
    let lobby: { lobby_id: string; token: string };
    beforeEach(() => {
      lobby = emulator.addLobby({ maxPlayers: 2 });
    });
    const post = (what: string, player_token: unknown, token = lobby.token) => {
      const body = JSON.stringify({ player_token });
      return send(emulator, { method: 'POST', url: `/matchmaker/v1/players/${what}`, body, ...bearer(token) })
        .answer;
    };
    const expectFull = () => throws(() => emulator.reservePlayer(lobby.lobby_id), isInputError);

    it('go from reserved to connected, once', () => {
      const player = emulator.reservePlayer(lobby.lobby_id);
      strictEqual(emulator.playerState(player), 'reserved');
      deepStrictEqual([post('connected', player)?.status, emulator.playerState(player)], [200, 'connected']);
      strictEqual(codeOf(post('connected', player)), '400 MATCHMAKER_PLAYER_ALREADY_CONNECTED');
    });

    it('expire after two minutes, unless they are connected', () => {
      const [late, early] = [emulator.reservePlayer(lobby.lobby_id), emulator.reservePlayer(lobby.lobby_id)];
      post('connected', early);
      pass(119_999);
      strictEqual(emulator.playerState(late), 'reserved');
      pass(1);
      strictEqual(codeOf(post('connected', late)), '400 MATCHMAKER_PLAYER_REGISTRATION_EXPIRED');
      deepStrictEqual([emulator.playerState(late), emulator.playerState(early)], ['expired', 'connected']);
    });

    it('hold a slot while reserved or connected, and free it afterwards', () => {
      const [first, second] = [
        emulator.reservePlayer(lobby.lobby_id),
        emulator.reservePlayer(lobby.lobby_id),
      ];
      expectFull();
      post('connected', first);
      expectFull();
      pass(120_000);
      strictEqual(emulator.playerState(second), 'expired');
      emulator.reservePlayer(lobby.lobby_id);
      expectFull();
      strictEqual(post('disconnected', first)?.status, 200);
      strictEqual(codeOf(post('connected', first)), '400 MATCHMAKER_PLAYER_REMOVED');
      emulator.reservePlayer(lobby.lobby_id);
      deepStrictEqual(emulator.playersIn(lobby.lobby_id), { reserved: 2, connected: 0 });
    });

    it('are refused if their token is unknown or for another lobby, or if the caller is not a lobby', () => {
      const player = emulator.reservePlayer(lobby.lobby_id);
      for (const token of ['x', '', 7, null, undefined])
        strictEqual(codeOf(post('connected', token)), '400 TOKEN_ERROR');
      const other = emulator.addLobby();
      strictEqual(codeOf(post('connected', player, other.token)), '400 MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY');
      strictEqual(codeOf(post('connected', player, me.token)), '401 CLAIMS_MISSING_ENTITLEMENT');
      strictEqual(emulator.playerState(player), 'reserved');
    });
  });

  it('answers unknown requests with JSON, and preflight requests of any origin', () => {
    strictEqual(codeOf(send(emulator, { url: '/nowhere' }).answer), '404 API_NOT_FOUND');
    strictEqual(
      codeOf(send(emulator, { method: 'DELETE', url: '/api/identity/events/live' }).answer),
      '405 API_METHOD_NOT_ALLOWED',
    );
    strictEqual(
      codeOf(send(emulator, { method: 'POST', url: '/matchmaker/v1/players/connected', body: '{' }).answer),
      '400 API_BAD_BODY',
    );
    const { answer } = send(emulator, { method: 'OPTIONS', url: '/api/identity/events/live' });
    deepStrictEqual(
      [
        answer?.status,
        answer?.headers['access-control-allow-headers'],
        answer?.headers['access-control-expose-headers'],
      ],
      [204, 'Content-Type, Authorization', 'rvt-ray-id'],
    );
    match(send(emulator, {}).answer?.headers['rvt-ray-id'] ?? '', /^[0-9a-f-]{36}$/);
  });

  it('answers at the base URL as it does behind the path prefix of each service', () => {
    const { url, urls } = emulator;
    const { lobby_id, token } = emulator.addLobby();
    const player = () => JSON.stringify({ player_token: emulator.reservePlayer(lobby_id) });
    const shape = (answer?: EmulatedResponse) => [answer?.status, Object.keys(json(answer))];
    const answers = (base: { readonly [Name in keyof typeof urls]: string }) => [
      shape(
        send(emulator, { url: `${base.groupUrl}/v1/groups/${group_id}/members`, ...bearer(me.token) }).answer,
      ),
      shape(send(emulator, { url: `${base.apiUrl}/identity/events/live`, ...bearer(me.token) }).answer),
      ...['connected', 'disconnected'].map(what =>
        shape(
          send(emulator, {
            method: 'POST',
            url: `${base.matchmakerUrl}/v1/players/${what}`,
            body: player(),
            ...bearer(token),
          }).answer,
        ),
      ),
      codeOf(send(emulator, { method: 'DELETE', url: `${base.apiUrl}/identity/events/live` }).answer),
    ];
    deepStrictEqual(answers(urls), [
      [200, ['anchor', 'members', 'watch']],
      [200, ['events', 'watch']],
      [200, []],
      [200, []],
      '405 API_METHOD_NOT_ALLOWED',
    ]);
    deepStrictEqual(answers({ groupUrl: url, matchmakerUrl: url, apiUrl: url }), answers(urls));
    // A service is not available under the prefix of another one.
    const misplaced = `${urls.apiUrl}/v1/groups/${group_id}/members`;
    strictEqual(codeOf(send(emulator, { url: misplaced, ...bearer(me.token) }).answer), '404 API_NOT_FOUND');
  });

  it('refuses a URL that is none, and finds nothing by an id that is badly escaped', () => {
    strictEqual(codeOf(send(emulator, { url: 'http://[' }).answer), '400 API_BAD_URL');
    const { answer } = send(emulator, { url: '/group/v1/groups/%zz/members', ...bearer(me.token) });
    strictEqual(answer?.status, 404);
  });
});
