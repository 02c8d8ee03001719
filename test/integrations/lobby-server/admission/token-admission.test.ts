import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { of } from 'rxjs';
import { waitUntil } from '../../../wait-until.js';
import { confirmations, eachFromElsewhere, openGate, type OpenGate } from '../gate.js';
import { connectRaw } from '../raw-client.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate, with the token in the URL', () => {
  let gate: OpenGate;
  const at = (query = '', path = '/') => `ws://127.0.0.1:${gate.port}${path}${query}`;
  afterEach(() => gate.close());

  it('admits a player with a valid token, and loses none of their messages', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?name=Ada%20L&token=${token}&a`, '/play'));
    for (const message of ['one', Buffer.from([2]), 'three']) ws.send(message);

    await waitUntil(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const received: unknown[] = [];
    socket!.message$.subscribe(message => received.push(message));
    await waitUntil(() => received.length === 3);
    deepStrictEqual(received, ['one', Buffer.from([2]), 'three']);
    strictEqual(socket!.token, token);
    strictEqual(socket!.url, '/play?name=Ada%20L&a');
    deepStrictEqual(
      [...socket!.searchParams],
      [
        ['name', 'Ada L'],
        ['a', ''],
      ],
    );
    strictEqual(socket!.address, '127.0.0.1');
    strictEqual(gate.emulator.playerState(token), 'connected');

    const echoed = once(ws, 'message');
    socket!.send('welcome');
    strictEqual(String((await echoed)[0]), 'welcome');
  });

  it('completes the upgrade only after the service has answered OK', async () => {
    gate = await openGate({ holdRequests: true });
    const order: string[] = [];
    const result = tryConnect(at(`?token=${gate.reserveToken()}`)).then(({ kind }) => order.push(kind));
    order.push((await tryConnect(at())).kind);
    gate.sendHeldRequests();
    await result;
    deepStrictEqual(order, ['refused', 'open']);
  });

  const refused: readonly (readonly [string, (token: string) => string, number, string])[] = [
    ['a request without a token', () => '', 401, 'no_token'],
    ['an empty token', () => '?token=', 401, 'no_token'],
    ['two tokens', token => `?token=${token}&token=${token}`, 401, 'no_token'],
    ['a token in another parameter', token => `?ticket=${token}`, 401, 'no_token'],
    ['a token of 8,193 characters', () => `?token=${'x'.repeat(8_193)}`, 401, 'no_token'],
  ];
  for (const [what, query, status, reason] of refused) {
    it(`refuses ${what} without asking the service`, async () => {
      gate = await openGate();
      const result = await tryConnect(at(query(gate.reserveToken())));
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [status, reason]);
      deepStrictEqual([confirmations(gate), gate.admitted.length, gate.left.length], [0, 0, 0]);
    });
  }

  it('refuses a token that was never issued, or that is not valid text', async () => {
    gate = await openGate();
    for (const token of ['nobody-issued-it', '%FF%00%FE', '%F0%9F%8E%B2', encodeURIComponent('{"a":1}')]) {
      const result = await tryConnect(at(`?token=${token}`));
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [401, 'invalid_token']);
    }
    deepStrictEqual([gate.admitted.length, confirmations(gate)], [0, 4]);
  });

  it('refuses a consumed token: itself while the player is connected, and by asking the service afterwards', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}`));
    await waitUntil(() => gate.admitted.length === 1);
    for (const isIn of [true, false]) {
      if (!isIn) {
        ws.close();
        await waitUntil(() => gate.left.length === 1);
      }
      const result = await tryConnect(at(`?token=${token}`));
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [403, 'already_connected']);
      strictEqual(confirmations(gate), isIn ? 1 : 2);
    }
    deepStrictEqual(gate.left, [token]);
  });

  it('refuses an expired token', async () => {
    gate = await openGate({ emulatorConfig: { reservation: 0 } });
    const token = gate.reserveToken();
    const result = await tryConnect(at(`?token=${token}`));
    ok(result.kind === 'refused');
    deepStrictEqual([result.status, result.body], [403, 'registration_expired']);
  });

  it('refuses a token for another lobby, and a token of a player who was removed', async () => {
    gate = await openGate();
    const other = gate.emulator.reservePlayer(gate.emulator.addLobby().lobby_id);
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}`));
    ws.close();
    await waitUntil(() => gate.left.length === 1);
    await fetch(`${gate.service.urls.matchmakerUrl}/v1/players/disconnected`, {
      method: 'POST',
      body: JSON.stringify({ player_token: token }),
      headers: { authorization: `Bearer ${gate.emulator.requests[0]!.token}` },
    });
    for (const [wrong, reason] of [
      [other, 'in_different_lobby'],
      [token, 'removed'],
    ] as const) {
      const result = await tryConnect(at(`?token=${wrong}`));
      ok(result.kind === 'refused');
      deepStrictEqual([result.status, result.body], [403, reason]);
    }
  });

  it('admits only one of several players who connect with the same token at the same time', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    const results = await Promise.all([1, 2, 3].map(() => tryConnect(at(`?token=${token}`))));
    deepStrictEqual(results.map(result => (result.kind === 'refused' ? result.status : result.kind)).sort(), [
      403,
      403,
      'open',
    ]);
    await waitUntil(() => gate.admitted.length === 1);
    strictEqual(confirmations(gate), 1);
  });

  it('admits only one of them even if the service says OK to every token', async () => {
    gate = await openGate({
      client: { matchmaker: { players: { connected: () => of(undefined) } } },
    });
    const results = await Promise.all(['a', 'a', 'b'].map(token => tryConnect(at(`?token=${token}`))));
    strictEqual(results.filter(({ kind }) => kind === 'open').length, 2);
    await waitUntil(() => gate.admitted.length === 2);
    deepStrictEqual(gate.admitted.map(({ token }) => token).sort(), ['a', 'b']);
  });

  it('treats the first message like any other', async () => {
    gate = await openGate();
    const token = gate.reserveToken();
    const { ws } = await connectPlayer(at(`?token=${token}`));
    ws.send(token);
    await waitUntil(() => gate.admitted.length === 1);
    const received: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => received.push(message));
    await waitUntil(() => received.length === 1);
    deepStrictEqual([received, confirmations(gate)], [[token], 1]);
  });

  it('confirms at most maxPending tokens at once, and asks the others to try again', async () => {
    gate = await openGate({ holdRequests: true, maxPending: 2 });
    const results = [
      tryConnect(at(`?token=${gate.reserveToken()}`)),
      tryConnect(at(`?token=${gate.reserveToken()}`)),
    ];
    await waitUntil(() => gate.heldRequests() === 2);
    const third = await tryConnect(at(`?token=${gate.reserveToken()}`));
    ok(third.kind === 'refused');
    deepStrictEqual([third.status, third.body, third.headers['retry-after']], [503, 'busy', '1']);
    gate.sendHeldRequests();
    deepStrictEqual(
      (await Promise.all(results)).map(({ kind }) => kind),
      ['open', 'open'],
    );
    const again = tryConnect(at(`?token=${gate.reserveToken()}`));
    await waitUntil(() => gate.heldRequests() === 1);
    gate.sendHeldRequests();
    strictEqual((await again).kind, 'open');
  });

  it('confirms 256 tokens at once by default', async () => {
    gate = await openGate({ holdRequests: true, addressOf: eachFromElsewhere() });
    const clients = await Promise.all(
      Array.from({ length: 256 }, () => connectRaw(gate.port, `/?token=${gate.reserveToken()}`)),
    );
    await waitUntil(() => gate.heldRequests() === 256);
    const next = await tryConnect(at(`?token=${gate.reserveToken()}`));
    ok(next.kind === 'refused' && next.body === 'busy');
    for (const client of clients) client.destroy();
    gate.sendHeldRequests();
    await waitUntil(() => gate.left.length === 256);
  });
});
