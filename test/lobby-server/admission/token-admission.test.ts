import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { of } from 'rxjs';
import { until } from '../../until.js';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { knock } from '../knock.js';
import { enter, visit } from '../visit.js';

describe('lobbyGate, with the token in the URL', () => {
  let gate: OpenGate;
  const at = (query = '', path = '/') => `ws://127.0.0.1:${gate.port}${path}${query}`;
  afterEach(() => gate.close());

  it('admits a player with a valid one, and loses none of their messages', async () => {
    gate = await openGate();
    const token = gate.reserve();
    const { ws } = await enter(at(`?name=Ada%20L&token=${token}&a`, '/play'));
    for (const message of ['one', Buffer.from([2]), 'three']) ws.send(message);

    await until(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const heard: unknown[] = [];
    socket!.message$.subscribe(message => heard.push(message));
    await until(() => heard.length === 3);
    deepStrictEqual(heard, ['one', Buffer.from([2]), 'three']);
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

  it('completes the upgrade only when the service has said OK', async () => {
    gate = await openGate({ isHeld: true });
    const order: string[] = [];
    const visited = visit(at(`?token=${gate.reserve()}`)).then(({ kind }) => order.push(kind));
    order.push((await visit(at())).kind);
    gate.goOn();
    await visited;
    deepStrictEqual(order, ['refused', 'open']);
  });

  const refused: readonly (readonly [string, (token: string) => string, number, string])[] = [
    ['a request without one', () => '', 401, 'no_token'],
    ['an empty one', () => '?token=', 401, 'no_token'],
    ['two of them', token => `?token=${token}&token=${token}`, 401, 'no_token'],
    ['one under another name', token => `?ticket=${token}`, 401, 'no_token'],
    ['one of 8,193 characters', () => `?token=${'x'.repeat(8_193)}`, 401, 'no_token'],
  ];
  for (const [what, query, status, reason] of refused) {
    it(`refuses ${what} without asking the service`, async () => {
      gate = await openGate();
      const visited = await visit(at(query(gate.reserve())));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [status, reason]);
      deepStrictEqual([confirmations(gate), gate.admitted.length, gate.gone.length], [0, 0, 0]);
    });
  }

  it('refuses a token that nobody issued, or that is not even text', async () => {
    gate = await openGate();
    for (const token of [
      'nobody-issued-it',
      'nobody-issued-it',
      '%FF%00%FE',
      '%F0%9F%8E%B2',
      encodeURIComponent('{"a":1}'),
    ]) {
      const visited = await visit(at(`?token=${token}`));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [401, 'invalid_token']);
    }
    deepStrictEqual([gate.admitted.length, confirmations(gate)], [0, 5]);
  });

  it('refuses a consumed token: by itself while its player is in, by the service afterwards', async () => {
    gate = await openGate();
    const token = gate.reserve();
    const { ws } = await enter(at(`?token=${token}`));
    await until(() => gate.admitted.length === 1);
    for (const isIn of [true, false]) {
      if (!isIn) {
        ws.close();
        await until(() => gate.gone.length === 1);
      }
      const visited = await visit(at(`?token=${token}`));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [403, 'already_connected']);
      strictEqual(confirmations(gate), isIn ? 1 : 2);
    }
    deepStrictEqual(gate.gone, [token]);
  });

  it('refuses an expired one', async () => {
    gate = await openGate({ emulated: { reservation: 0 } });
    const token = gate.reserve();
    const visited = await visit(at(`?token=${token}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body], [403, 'registration_expired']);
  });

  it('refuses one for another lobby, and one whose player was removed', async () => {
    gate = await openGate();
    const other = gate.emulator.reservePlayer(gate.emulator.addLobby().lobby_id);
    const token = gate.reserve();
    const { ws } = await enter(at(`?token=${token}`));
    ws.close();
    await until(() => gate.gone.length === 1);
    await fetch(`${gate.service.urls.matchmakerUrl}/v1/players/disconnected`, {
      ...{ method: 'POST', body: JSON.stringify({ player_token: token }) },
      headers: { authorization: `Bearer ${gate.emulator.requests[0]!.token}` },
    });
    for (const [wrong, reason] of [
      [other, 'in_different_lobby'],
      [token, 'removed'],
    ] as const) {
      const visited = await visit(at(`?token=${wrong}`));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [403, reason]);
    }
  });

  it('admits only one of several players who come with the same token at the same moment', async () => {
    gate = await openGate();
    const token = gate.reserve();
    const visits = await Promise.all([1, 2, 3].map(() => visit(at(`?token=${token}`))));
    deepStrictEqual(
      visits.map(visited => (visited.kind === 'refused' ? visited.status : visited.kind)).sort(),
      [403, 403, 'open'],
    );
    await until(() => gate.admitted.length === 1);
    strictEqual(confirmations(gate), 1);
  });

  it('admits only one of them even if the service says OK to every token', async () => {
    gate = await openGate({
      client: { matchmaker: { players: { connected: () => of(undefined) } } },
    });
    const visits = await Promise.all(['a', 'a', 'b'].map(token => visit(at(`?token=${token}`))));
    strictEqual(visits.filter(({ kind }) => kind === 'open').length, 2);
    await until(() => gate.admitted.length === 2);
    deepStrictEqual(gate.admitted.map(({ token }) => token).sort(), ['a', 'b']);
  });

  it('treats the first message as any other if the URL had the token', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const { ws } = await enter(at(`?token=${token}`));
    ws.send(token);
    await until(() => gate.admitted.length === 1);
    const heard: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => heard.push(message));
    await until(() => heard.length === 1);
    deepStrictEqual([heard, confirmations(gate)], [[token], 1]);
  });

  it('reads it from the parameter that the config names', async () => {
    gate = await openGate({ tokenParameter: 'ticket' });
    await enter(at(`?ticket=${gate.reserve()}`));
    await until(() => gate.admitted.length === 1);
    strictEqual(gate.admitted[0]!.url, '/');
  });

  it('confirms at most maxChecks tokens at once, and asks the others to try again', async () => {
    gate = await openGate({ isHeld: true, maxChecks: 2, firstMessage: true });
    const visits = [visit(at(`?token=${gate.reserve()}`)), visit(at(`?token=${gate.reserve()}`))];
    const third = await visit(at(`?token=${gate.reserve()}`));
    ok(third.kind === 'refused');
    deepStrictEqual([third.status, third.body, third.headers['retry-after']], [503, 'busy', '1']);
    const fourth = await enter(at());
    fourth.ws.send(gate.reserve());
    deepStrictEqual(await fourth.ending, { code: 4429, reason: 'busy' });
    gate.goOn();
    deepStrictEqual(
      (await Promise.all(visits)).map(({ kind }) => kind),
      ['open', 'open'],
    );
    const again = visit(at(`?token=${gate.reserve()}`));
    await until(() => gate.admitted.length === 2);
    await enter(at());
    gate.goOn();
    strictEqual((await again).kind, 'open');
  });

  it('confirms 256 tokens at once by default', async () => {
    gate = await openGate({ isHeld: true });
    const clients = await Promise.all(
      Array.from({ length: 256 }, () => knock(gate.port, `/?token=${gate.reserve()}`)),
    );
    await until(() => gate.waiting() === 256);
    const next = await visit(at(`?token=${gate.reserve()}`));
    ok(next.kind === 'refused' && next.body === 'busy');
    for (const client of clients) client.destroy();
    gate.goOn();
    await until(() => gate.gone.length === 256);
  });
});
