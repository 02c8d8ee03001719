import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { of } from 'rxjs';
import { until } from '../until.js';
import { virtualTime } from '../virtual-time.js';
import { openGate, type OpenGate } from './gate.js';
import { handshake } from './knock.js';
import { enter, visit } from './visit.js';

const asked = ({ emulator }: OpenGate) =>
  emulator.requests.filter(({ url }) => url.includes('/players/connected')).length;

describe('a lobby gate, and the token in the query', () => {
  let gate: OpenGate;
  const at = (query = '', path = '/') => `ws://127.0.0.1:${gate.port}${path}${query}`;
  afterEach(() => gate.close());

  it('lets in who has a valid one, and nothing that he sends is lost', async () => {
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

  it('lets in who asks for what is hardly a URL', async () => {
    gate = await openGate();
    for (const [i, path] of ['//', '/%', '//a:b'].entries()) {
      await enter(at(`?token=${gate.reserve()}`, path));
      await until(() => gate.admitted.length === i + 1);
      deepStrictEqual([gate.admitted[i]!.url, gate.admitted[i]!.searchParams.size], [path, 0]);
    }
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
    ['none', () => '', 401, 'no_token'],
    ['an empty one', () => '?token=', 401, 'no_token'],
    ['two of them', token => `?token=${token}&token=${token}`, 401, 'no_token'],
    ['one under another name', token => `?ticket=${token}`, 401, 'no_token'],
    ['one of 8,193 characters', () => `?token=${'x'.repeat(8_193)}`, 401, 'no_token'],
  ];
  for (const [what, query, status, reason] of refused) {
    it(`turns away who has ${what}, and asks nobody`, async () => {
      gate = await openGate();
      const visited = await visit(at(query(gate.reserve())));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [status, reason]);
      deepStrictEqual([asked(gate), gate.admitted.length, gate.gone.length], [0, 0, 0]);
    });
  }

  it('turns away a token that nobody issued, or that is no text at all', async () => {
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
    deepStrictEqual([gate.admitted.length, asked(gate)], [0, 5]);
  });

  it('turns away a consumed token, by itself while its player is in, and by the service afterwards', async () => {
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
      strictEqual(asked(gate), isIn ? 1 : 2);
    }
    deepStrictEqual(gate.gone, [token]);
  });

  it('turns away an expired one', async () => {
    gate = await openGate({ emulated: { reservation: 0 } });
    const token = gate.reserve();
    await new Promise(resolve => setTimeout(resolve, 2));
    const visited = await visit(at(`?token=${token}`));
    ok(visited.kind === 'refused');
    deepStrictEqual([visited.status, visited.body], [403, 'registration_expired']);
  });

  it('turns away one for another lobby, and one whose player was removed', async () => {
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

  it('admits one alone of two that come with one token at the same moment', async () => {
    gate = await openGate();
    const token = gate.reserve();
    const visits = await Promise.all([1, 2, 3].map(() => visit(at(`?token=${token}`))));
    deepStrictEqual(
      visits.map(visited => (visited.kind === 'refused' ? visited.status : visited.kind)).sort(),
      [403, 403, 'open'],
    );
    await until(() => gate.admitted.length === 1);
    strictEqual(asked(gate), 1);
  });

  it('admits one alone even where the service says OK to every token', async () => {
    gate = await openGate({
      client: { matchmaker: { players: { connected: () => of(undefined) } } },
    });
    const visits = await Promise.all(['a', 'a', 'b'].map(token => visit(at(`?token=${token}`))));
    strictEqual(visits.filter(({ kind }) => kind === 'open').length, 2);
    await until(() => gate.admitted.length === 2);
    deepStrictEqual(gate.admitted.map(({ token }) => token).sort(), ['a', 'b']);
  });

  it('hears the first message as any other where the token was in the query', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const { ws } = await enter(at(`?token=${token}`));
    ws.send(token);
    await until(() => gate.admitted.length === 1);
    const heard: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => heard.push(message));
    await until(() => heard.length === 1);
    deepStrictEqual([heard, asked(gate)], [[token], 1]);
  });

  it('takes it under the name that it is told', async () => {
    gate = await openGate({ tokenParameter: 'ticket' });
    await enter(at(`?ticket=${gate.reserve()}`));
    await until(() => gate.admitted.length === 1);
    strictEqual(gate.admitted[0]!.url, '/');
  });

  it('never sees a URL that the server itself finds too long', async () => {
    gate = await openGate();
    const client = connect(gate.port, '127.0.0.1');
    client.on('error', () => undefined);
    let answer = '';
    client.on('data', data => (answer += data.toString()));
    client.write(`GET /?token=${'x'.repeat(10 * 2 ** 20)} HTTP/1.1\r\nHost: a\r\n`);
    await new Promise(resolve => client.on('close', resolve));
    ok(/^(HTTP\/1.1 431|$)/.test(answer), answer.slice(0, 20));
    strictEqual(gate.log.length, 0);
  });

  const malformed: readonly (readonly [string, (whole: string) => string])[] = [
    ['has no key', whole => whole.replace(/Sec-WebSocket-Key.*\r\n/, '')],
    ['has something behind it', whole => `${whole}x`],
  ];
  for (const [what, malform] of malformed) {
    it(`spends no token on a request that is no handshake: it ${what}`, async () => {
      gate = await openGate();
      const token = gate.reserve();
      const client = connect(gate.port, '127.0.0.1');
      let answer = '';
      client.on('data', data => (answer += data.toString()));
      client.write(malform(handshake(`/?token=${token}`)));
      await new Promise(resolve => client.on('close', resolve));
      ok(answer.startsWith('HTTP/1.1 400'), answer);
      deepStrictEqual([asked(gate), gate.emulator.playerState(token)], [0, 'reserved']);
      const { kind, ...entry } = gate.log[0]!;
      ok(kind === 'refused' && gate.log.length === 1);
      deepStrictEqual('code' in entry && entry.code, 400);
    });
  }

  it('shows the token in no print of the socket, and in no entry of the log', async () => {
    gate = await openGate();
    const token = gate.reserve();
    const { ws } = await enter(at(`?token=${token}&name=x`));
    await visit(at(`?token=${token}`));
    await until(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const hidden = { depth: Infinity, showHidden: true };
    const prints = [inspect(socket, hidden), JSON.stringify(socket)];
    strictEqual(socket!.headers.upgrade, 'websocket');
    strictEqual(prints[1], '{"address":"127.0.0.1","url":"/?name=x"}');
    ok(!prints.join().includes('sec-websocket-key'));
    ws.close();
    await until(() => gate.gone.length === 1);
    prints.push(inspect(socket, hidden), JSON.stringify(gate.log), inspect(gate.log, hidden));
    for (const print of prints) ok(!print.includes(token), print);
    deepStrictEqual(
      gate.log.map(({ kind }) => kind),
      ['admitted', 'refused', 'gone'],
    );
  });
});

describe('a lobby gate, and the token as the first message', () => {
  let gate: OpenGate;
  const at = (query = '') => `ws://127.0.0.1:${gate.port}/${query}`;
  afterEach(() => gate.close());

  it('lets in who says a valid one, and holds what follows until he is in', async () => {
    gate = await openGate({ tokenParameter: false, firstMessage: true, isHeld: true });
    const token = gate.reserve();
    const { ws } = await enter(at());
    for (const message of [token, 'one', 'two']) ws.send(message);
    const other = await enter(at());
    other.ws.ping();
    await new Promise(resolve => other.ws.once('pong', resolve));
    strictEqual(gate.admitted.length, 0);

    gate.goOn();
    await until(() => gate.admitted.length === 1);
    const heard: unknown[] = [];
    gate.admitted[0]!.message$.subscribe(message => heard.push(message));
    ws.send('three');
    await until(() => heard.length === 3);
    deepStrictEqual(heard, ['one', 'two', 'three']);
    strictEqual(gate.admitted[0]!.token, token);
  });

  it('finds it in whatever the message is, if it is told how', async () => {
    const firstMessage = (text: string) => (JSON.parse(text) as { token?: string }).token;
    gate = await openGate({ firstMessage });
    const token = gate.reserve();
    const { ws } = await enter(at());
    ws.send(JSON.stringify({ token }));
    await until(() => gate.admitted.length === 1);

    for (const message of ['{}', 'no JSON']) {
      const visited = await enter(at());
      visited.ws.send(message);
      deepStrictEqual(await visited.ending, { code: 4401, reason: 'no_token' });
    }
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.hook] : [])),
      ['firstMessage'],
    );
  });

  const refused: readonly (readonly [string, (gate: OpenGate) => string | Buffer, number, string])[] = [
    ['one that nobody issued', () => 'nobody-issued-it', 4401, 'invalid_token'],
    ['an empty one', () => '', 4401, 'no_token'],
    ['a valid one, but binary', ({ reserve }) => Buffer.from(reserve()), 4401, 'no_token'],
    ['one of 8,193 characters', () => 'x'.repeat(8_193), 4401, 'no_token'],
    ['one of 10 MB', () => 'x'.repeat(10 * 2 ** 20), 1009, ''],
  ];
  for (const [what, message, code, reason] of refused) {
    it(`closes who says ${what} with ${code}`, async () => {
      gate = await openGate({ firstMessage: true });
      const { ws, ending } = await enter(at());
      ws.send(message(gate), () => undefined);
      const { code: got, reason: why } = await ending;
      // Who is still sending megabytes may see his connection break before he reads why.
      ok(got === code || (code === 1009 && got === 1006), `${got}`);
      if (got === code) strictEqual(why, reason);
      strictEqual(gate.admitted.length, 0);
    });
  }

  it('closes who says a consumed one, or an expired one, with 4403', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const first = await enter(at());
    first.ws.send(token);
    await until(() => gate.admitted.length === 1);
    const second = await enter(at());
    second.ws.send(token);
    deepStrictEqual(await second.ending, { code: 4403, reason: 'already_connected' });
    strictEqual(gate.admitted.length, 1);
    await gate.close();

    gate = await openGate({ firstMessage: true, emulated: { reservation: 0 } });
    const late = await enter(at());
    late.ws.send(gate.reserve());
    deepStrictEqual(await late.ending, { code: 4403, reason: 'registration_expired' });
  });

  it('admits one alone of two that say one token at the same moment', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const visits = await Promise.all([enter(at()), enter(at())]);
    for (const { ws } of visits) ws.send(token);
    const { code } = await Promise.race(visits.map(({ ending }) => ending));
    strictEqual(code, 4403);
    await until(() => gate.admitted.length === 1);
  });

  it('admits one alone where one says it, and another has it in his URL', async () => {
    gate = await openGate({ firstMessage: true });
    const token = gate.reserve();
    const said = await enter(at());
    said.ws.send(token);
    const visited = await visit(at(`?token=${token}`));
    await until(() => gate.admitted.length === 1);
    if (visited.kind === 'open') strictEqual((await said.ending).code, 4403);
    else strictEqual(visited.kind === 'refused' && visited.status, 403);
    strictEqual(gate.admitted.length, 1);
  });

  it('closes with 4408 who says nothing in time, or only half of it', async () => {
    const { scheduler, pass } = virtualTime();
    gate = await openGate({ firstMessage: true, scheduler });
    const { ending } = await enter(at());
    const half = await enter(at());
    half.ws.send(gate.reserve(), { fin: false });
    half.ws.ping();
    await once(half.ws, 'pong');
    pass(4_999);
    strictEqual(half.ws.readyState, half.ws.OPEN);
    pass(1);
    deepStrictEqual(await ending, { code: 4408, reason: 'no_token_in_time' });
    deepStrictEqual((await half.ending).code, 4408);
    strictEqual(asked(gate), 0);
  });

  it('does not open where the URL has a token of its own that is wrong', async () => {
    gate = await openGate({ firstMessage: true });
    strictEqual((await visit(at('?token=wrong'))).kind, 'refused');
    strictEqual((await visit(at('?token='))).kind, 'refused');
  });
});
