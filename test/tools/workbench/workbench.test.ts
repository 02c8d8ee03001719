import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert';
import { pathToFileURL } from 'node:url';
import { firstValueFrom } from 'rxjs';
import { createClient } from 'lobby-rx';
import { listen, seedWorld, type Emulator, type EmulatorServer } from 'lobby-rx/emulator';
import { createWorkbench, readWorkbenchPage } from '../../../src/tools/workbench/index.js';
import { waitUntil } from '../../wait-until.js';

const PAGE = '<html><script type="module">1;</script></html>';

interface View {
  readonly identities: readonly {
    readonly display_name: string;
    readonly presence?: string;
    readonly has_token?: boolean;
  }[];
  readonly lobbies: readonly { readonly players: readonly { readonly state: string }[] }[];
  readonly planned: readonly object[];
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  readonly commands: readonly { readonly name: string }[];
  readonly watch: { readonly index: string };
}

describe('A workbench', () => {
  let workbench: ReturnType<typeof createWorkbench>;
  let server: EmulatorServer;
  beforeEach(async () => {
    const seeded = (emulator: Emulator) => seedWorld(emulator, { members: 3 });
    workbench = createWorkbench({ seed: 1, collectTime: 0 }, seeded, PAGE);
    const { emulator, control, workbench: answer } = workbench;
    server = await listen(emulator, { control, workbench: answer });
  });
  afterEach(() => server.close());

  const ask = async (path: string, body?: object) => {
    const authorization = `Bearer ${server.control!.secret}`;
    const response = await fetch(`${server.control!.url}/workbench${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as Record<string, unknown>,
    };
  };
  const look = async (index?: string) => {
    const { body } = await ask(`/world${index === undefined ? '' : `?watch_index=${index}`}`);
    return body as unknown as View;
  };

  it('has a page in which only its own script runs', async () => {
    const response = await fetch(`${server.control!.url}/workbench/?a`);
    strictEqual(await response.text(), PAGE);
    match(response.headers.get('content-type')!, /^text\/html/);
    strictEqual(response.headers.get('x-content-type-options'), 'nosniff');
    // The digest of "1;", as openssl has it.
    match(
      response.headers.get('content-security-policy')!,
      /script-src 'sha256-[\w+/=]{44}'; .*frame-ancestors 'none'/,
    );
  });

  it('shows the world, and what changes in it', async () => {
    const first = await look();
    deepStrictEqual(
      [first.identities.length, first.lobbies[0]!.players[0]!.state, first.planned, first.requests],
      [3, 'reserved', [], []],
    );
    const next = look(first.watch.index);
    workbench.control.type('presence away');
    workbench.control.type('fault html 502');
    const { identities, planned, watch } = await next;
    deepStrictEqual([identities[0]!.presence, planned], ['away', [{ kind: 'html', left: '1' }]]);
    ok(Number(watch.index) > Number(first.watch.index));
    const withdrawn = look(watch.index);
    workbench.control.type('fault off');
    const after = await withdrawn;
    deepStrictEqual(after.planned, []);
    // It was not just time that has passed.
    ok(Number(after.watch.index) > Number(watch.index));
    strictEqual(first.commands[0]!.name, 'player');
    const hasToken = async () => (await look()).identities[0]!.has_token;
    const before = await hasToken();
    workbench.control.type('token expire');
    const expired = await hasToken();
    workbench.control.type('token renew');
    deepStrictEqual([before, expired, await hasToken()], [true, false, true]);
    // An index of an emulator that ran before.
    strictEqual((await look('1000000')).identities.length, 3);
  });

  it('lists the requests of a feed with their events, and how they ended', async () => {
    const { world, control } = workbench;
    const client = createClient({ url: server.url, token: world.identityToken });
    const kinds: string[] = [];
    const following = client.events.feed.all$.subscribe(({ kind }) => kinds.push(kind));
    const seen = async () => (await look()).requests;
    await waitUntil(async () => (await seen()).length === 2);
    control.type('lobby');
    await waitUntil(() => kinds.length === 1);
    await waitUntil(async () => (await seen()).length === 3);
    following.unsubscribe();
    await waitUntil(async () => (await seen()).every(({ ended_at }) => ended_at !== undefined));
    const requests = await seen();
    deepStrictEqual(
      requests.map(({ status }) => status),
      [200, 200, undefined],
    );
    deepStrictEqual(
      requests.map(({ events }) => (events as readonly { readonly kind: string }[]).map(({ kind }) => kind)),
      [[], ['matchmaker_lobby_join'], []],
    );
  });

  it('says what a gate has settled about a player, without the token', async () => {
    const { world } = workbench;
    const { players } = createClient({ url: server.url, token: world.lobbyToken }).matchmaker;
    const input = { player_token: world.playerToken };
    const junk = { player_token: 'player.junk' };
    for (const call of [players.connected(input), players.connected(input), players.connected(junk)])
      await firstValueFrom(call, { defaultValue: undefined }).catch(() => undefined);
    await firstValueFrom(players.disconnected(input), { defaultValue: undefined });
    const player = `player …${world.playerToken.slice(-6)}`;
    const { requests } = await look();
    deepStrictEqual(
      requests.map(({ settled }) => settled),
      [
        `${player} is in`,
        `${player} was refused: already_connected`,
        'a token that nobody has issued was refused',
        `${player} is out, and their slot is free`,
      ],
    );
  });

  it('names the sender of each request', async () => {
    const { world } = workbench;
    const url = `${server.url}/identity/events/live`;
    const lobby = createClient({ url: server.url, token: world.lobbyToken });
    await fetch(url, { headers: { authorization: `Bearer ${world.identityToken}` } });
    await firstValueFrom(lobby.matchmaker.players.connected({ player_token: world.playerToken }));
    await fetch(url, { headers: { authorization: 'Bearer a-stranger' } });
    await fetch(url);
    // A preflight of a browser is not listed.
    await fetch(url, { method: 'OPTIONS' });
    const { requests, lobbies, identities } = await look();
    const me = identities[0]!.display_name;
    deepStrictEqual(
      requests.map(({ who, status }) => ({ who, status })),
      [
        { who: me, status: 200 },
        { who: `lobby ${world.lobbyId.slice(0, 8)}`, status: 200 },
        { who: 'an unknown token', status: 401 },
        { who: 'without a token', status: 401 },
      ],
    );
    strictEqual(lobbies[0]!.players[0]!.state, 'connected');
  });

  it('names the fault that a request has met', async () => {
    const { world, control } = workbench;
    const client = createClient({ url: server.url, token: world.identityToken });
    for (const kind of ['truncated_json', 'reset_before_request']) {
      control.type(`fault ${kind}`);
      await firstValueFrom(client.events.watch()).catch(() => undefined);
    }
    const { requests } = await look();
    deepStrictEqual(
      requests.map(({ fault, status }) => ({ fault, status })),
      [
        { fault: 'truncated_json', status: 200 },
        { fault: 'reset_before_request', status: 0 },
        // Sent again at once, because its connection had been used before.
        { fault: undefined, status: 200 },
      ],
    );
  });

  it('shows answers, but no tokens', async () => {
    const { world, control } = workbench;
    const { identityToken, lobbyToken, playerToken } = world;
    const client = createClient({ url: server.url, token: identityToken });
    const lobby = client.as(lobbyToken);
    const { watch } = await firstValueFrom(client.events.watch());
    control.type('lobby');
    await firstValueFrom(client.events.watch({ watch_index: watch.index }));
    await firstValueFrom(lobby.matchmaker.players.connected({ player_token: playerToken }));
    await firstValueFrom(client.as('a-stranger').events.watch()).catch(() => undefined);
    control.type('fault reset_in_body');
    await firstValueFrom(client.events.watch()).catch(() => undefined);
    const { requests } = await look();
    const answers = await Promise.all(requests.map(({ id }) => ask(`/answer?id=${String(id)}`)));
    const texts = answers.map(({ body }) => body.text as string);
    match(texts[1]!, /"player":\{"token":"…"\}/);
    strictEqual(texts.at(-1), '');
    strictEqual((await ask('/answer?id=none')).body.text, '');
    const all = JSON.stringify(await look()) + texts.join('');
    for (const secret of [identityToken, lobbyToken, playerToken, 'a-stranger']) ok(!all.includes(secret));
  });

  it('shows no token of an answer or a path, however it is written', async () => {
    const { world } = workbench;
    const { identityToken: token, playerToken } = world;
    const payloads = [
      { text: JSON.stringify({ token }) },
      token,
      `wss://h/play?token=${playerToken}`,
      { accessToken: token },
      { tokens: [token] },
      { token: [{}, token] },
      { token: { kind: 'x', value: token } },
      { [token]: 1 },
      { authorization: `Bearer ${token}` },
      { token: `a"${token}` },
      { 'access-token': 'another' },
    ];
    const client = createClient({ url: server.url, token });
    const { watch } = await firstValueFrom(client.events.watch());
    for (const [i, payload] of payloads.entries())
      workbench.control.run('event', { kind: `kind_${i}`, payload });
    await firstValueFrom(client.events.watch({ watch_index: watch.index }));
    await fetch(`${server.url}/${token}/x?player_token=${playerToken}`);
    const { requests } = await look();
    const answers = await Promise.all(requests.map(({ id }) => ask(`/answer?id=${String(id)}`)));
    // The words of the commands are no secrets.
    const seen = JSON.stringify({ ...(await look()), commands: [] });
    const text = seen + answers.map(({ body }) => String(body.text)).join('');
    match(text, /kind_10/);
    for (const secret of [token, playerToken, 'another']) ok(!text.includes(secret), secret);
  });

  it('compares an answer with the last one to the same watch, of the last 100 watches', async () => {
    const { emulator, world, control } = workbench;
    const client = createClient({ url: server.url, token: world.identityToken });
    const read = (query: { readonly watch_index?: string } = {}, group_id = world.groupId) =>
      firstValueFrom(client.group.getMembers({ group_id, ...query }));
    const { watch } = await read();
    control.run('join', { name: 'Grace' });
    await read();
    // Answered at once, with what was read before.
    const old = { watch_index: watch.index };
    await read(old);
    for (let i = 0; i < 100; i++) {
      const group_id = emulator.addGroup();
      emulator.join(group_id, world.identityId);
      await read({}, group_id);
    }
    await read(old);
    const { requests } = await look();
    const polls = requests.filter(({ is_poll }) => is_poll);
    deepStrictEqual(
      polls.map(({ has_news }) => has_news),
      [false, true],
    );
  });

  it('says of a request whether it had news, and who had sent it, whatever they are called', async () => {
    const { world, control } = workbench;
    const group = { group_id: world.groupId };
    const client = createClient({ url: server.url, token: world.identityToken });
    const first = await firstValueFrom(client.group.getMembers(group));
    const poll = firstValueFrom(client.group.getMembers({ ...group, watch_index: first.watch.index }));
    await waitUntil(async () => (await look()).requests.length === 2);
    const { token } = control.run('join', { name: 'Grace' });
    await poll;
    control.run('profile', { name: 'Grace' });
    await firstValueFrom(client.as(String(token)).events.watch());
    await firstValueFrom(client.events.watch());
    const { requests } = await look();
    deepStrictEqual(
      requests.map(({ has_news }) => has_news),
      [false, true, false, false],
    );
    deepStrictEqual(
      [requests[2]!.who === requests[3]!.who, requests[2]!.who_id === requests[3]!.who_id],
      [true, false],
    );
  });

  it('says of a client that is left waiting by a fault that it waits, until it gives up', async () => {
    const url = `${server.url}/identity/events/live`;
    const last = async () => {
      const { fault, status, ended_at } = (await look()).requests.at(-1)!;
      return [fault, status, ended_at === undefined];
    };
    for (const kind of ['stall_before_headers', 'stall_in_body', 'dead_pool']) {
      workbench.control.run('fault', { kind });
      const giveUp = new AbortController();
      const asked = fetch(url, { signal: giveUp.signal })
        .then(answer => answer.text())
        .catch(() => undefined);
      await waitUntil(async () => (await last())[0] === kind);
      deepStrictEqual(await last(), [kind, undefined, true]);
      giveUp.abort();
      await asked;
      await waitUntil(async () => (await last())[2] === false);
    }
  });

  it('has the index of each answer: who polls with it has got that answer', async () => {
    const { world, control } = workbench;
    const client = createClient({ url: server.url, token: world.identityToken });
    const { watch } = await firstValueFrom(client.events.watch());
    control.run('event', { kind: 'chat', payload: { watch: { index: 'another' } } });
    const answer = await firstValueFrom(client.events.watch({ watch_index: watch.index }));
    const members = await firstValueFrom(client.group.getMembers({ group_id: world.groupId }));
    for (const kind of ['truncated_json', 'html', 'index_missing']) {
      control.run('fault', { kind });
      await firstValueFrom(client.events.watch()).catch(() => undefined);
    }
    const view = (await look()) as View & { readonly retention: number };
    deepStrictEqual(
      view.requests.map(({ next_index }) => next_index),
      [watch.index, answer.watch.index, members.watch.index, undefined, undefined, undefined],
    );
    strictEqual(view.retention, 300_000);
  });

  it('says so if the connection of a poll is dead', async () => {
    const client = createClient({ url: server.url, token: workbench.world.identityToken });
    const polling = client.events.batches().subscribe();
    await waitUntil(async () => (await look()).requests.length === 2);
    workbench.control.type('fault dead_pool');
    void fetch(`${server.url}/x`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await waitUntil(async () => (await look()).requests[1]!.fault === 'dead_pool');
    workbench.control.type('message Hi');
    deepStrictEqual((await look()).requests[1]!.status, undefined);
    polling.unsubscribe();
  });

  it('keeps a poll that is open, however many requests come after it', async () => {
    const client = createClient({ url: server.url, token: workbench.world.identityToken });
    const polling = client.events.batches().subscribe();
    await waitUntil(async () => (await look()).requests.length === 2);
    for (let i = 0; i < 1_100; i++)
      workbench.emulator.handle({ method: 'GET', url: '/nothing', headers: {} }).subscribe();
    const { requests } = await look();
    deepStrictEqual([requests.length <= 1_001, requests[0]!.ended_at], [true, undefined]);
    polling.unsubscribe();
  });

  it('remembers what was done, and to whom, in the words of the terminal', async () => {
    const { control, world } = workbench;
    const { identity_id, token } = control.run('join', { name: 'Grace' });
    control.type('message "Are you there?" who=Grace');
    await ask('/type', { line: 'presence away' });
    control.type('token expire Grace');
    control.run('event', { kind: 'chat', payload: { token } });
    control.type('state');
    throws(() => control.type('messages'));
    const { actions } = (await look()) as View & { actions: readonly { line: string; who_id: string }[] };
    deepStrictEqual(
      actions.map(({ line, who_id }) => [line, who_id]),
      [
        ['join name="Grace"', identity_id],
        ['message "Are you there?" who=Grace', identity_id],
        ['presence away', world.identityId],
        ['token expire Grace', identity_id],
        ['event kind="chat" payload={"token":"…"}', world.identityId],
      ],
    );
    strictEqual((await ask('/type', { line: 7 })).status, 400);
  });

  /** Starts a client, and waits until the service holds its second request, which is a poll. */
  const startPolling = async () => {
    const client = createClient({
      url: server.url,
      token: workbench.world.identityToken,
      watch: { backoff: { max: 50 } },
    });
    const polling = client.events.feed.all$.subscribe();
    await waitUntil(async () => (await look()).requests.length === 2);
    return polling;
  };

  /** How each break ends the poll that is held, and what becomes of the poll after it. */
  const MET = {
    cut: { held: 0, next: { status: undefined, fault: undefined } },
    proxy: { held: 502, next: { status: 502, fault: 'html' } },
    limit: { held: 0, next: { status: 429, fault: 'rate_limited' } },
    restart: { held: 0, next: { status: 0, fault: 'reset_before_request' } },
    down: { held: 0, next: { status: 0, fault: 'reset_before_request' } },
    lose: { held: 0, next: { status: undefined, fault: 'index_missing' } },
  };
  for (const [name, { held, next }] of Object.entries(MET))
    it(`ends a poll that is held, and changes the next one, at break ${name}`, async () => {
      const polling = await startPolling();
      workbench.control.type(`break ${name}`);
      const seen = async () => {
        const [, second, third] = (await look()).requests;
        return { second, third };
      };
      await waitUntil(async () => {
        const { third } = await seen();
        const isExpectedToEnd = next.status !== undefined;
        return third !== undefined && (third.ended_at !== undefined) === isExpectedToEnd;
      });
      const { second, third } = await seen();
      deepStrictEqual([second!.status, second!.fault], [held, name]);
      deepStrictEqual([third!.status, third!.fault], [next.status, next.fault]);
      polling.unsubscribe();
    });

  it('breaks nothing more once no more faults are wanted', async () => {
    const polling = await startPolling();
    workbench.control.type('break down');
    await waitUntil(async () => (await look()).requests.at(-1)!.fault === 'reset_before_request');
    workbench.control.type('fault off');
    deepStrictEqual((await look()).planned, []);
    await waitUntil(async () => (await look()).requests.at(-1)!.ended_at === undefined);
    polling.unsubscribe();
  });

  it('says which breaks there are', () =>
    throws(
      () => workbench.control.type('break nothing'),
      /break must be down, restart, proxy, cut, limit, lose; got nothing/,
    ));

  it('moves the clock: reservations end', async () => {
    strictEqual((await ask('/clock', { ms: 120_000 })).status, 200);
    strictEqual((await look()).lobbies[0]!.players[0]!.state, 'expired');
    for (const ms of ['soon', 0.5, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await ask('/clock', { ms });
      strictEqual(status, 400);
      match(
        body.message as string,
        /^ms must be a whole number from -86400000 to 86400000; got something else$/,
      );
    }
  });

  it('takes no clock from what is no JSON object', async () => {
    const { status, body } = await ask('/clock', [1]);
    deepStrictEqual([status, body.message], [400, 'body must be a JSON object; got something else']);
    const authorization = `Bearer ${server.control!.secret}`;
    const url = `${server.control!.url}/workbench/clock`;
    const response = await fetch(url, { method: 'POST', headers: { authorization }, body: '{' });
    match(await response.text(), /body must be a JSON object/);
  });

  it('tells one token of one identity, the newest that is valid', async () => {
    const { world, control } = workbench;
    const bearer = async (who_id: string) => (await ask(`/bearer?who_id=${who_id}`)).body;
    deepStrictEqual(await bearer(world.identityId), { token: world.identityToken, expired: false });
    const { token } = control.run('token renew');
    deepStrictEqual(await bearer(world.identityId), { token, expired: false });
    control.run('token expire');
    deepStrictEqual(await bearer(world.identityId), { token: world.identityToken, expired: false });
    workbench.emulator.expireToken(world.identityToken);
    deepStrictEqual(await bearer(world.identityId), { token, expired: true });
    deepStrictEqual(await bearer('nobody'), { token: '', expired: true });
    deepStrictEqual((await ask('/bearer')).body, { token: '', expired: true });
  });

  it('copies no world, neither for a look at it nor for an action', async () => {
    const copy = globalThis.structuredClone;
    globalThis.structuredClone = () => {
      throw new Error('a copy of the world');
    };
    try {
      strictEqual((await look()).identities.length, 3);
      workbench.control.type('presence away');
      strictEqual((await look()).identities[0]!.presence, 'away');
    } finally {
      globalThis.structuredClone = copy;
    }
  });

  it('says that a path is wrong', async () => {
    const { status, body } = await ask('/nothing');
    deepStrictEqual([status, body.message], [404, 'there is no such thing']);
  });

  it('needs a page that has been built', () => {
    throws(() => readWorkbenchPage([new URL('file:///nowhere.html')]), /npm run build/);
    match(readWorkbenchPage([pathToFileURL(import.meta.filename)]), /A workbench/);
  });
});
