import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { WebSocketServer } from 'ws';
import { Server as EngineServer } from 'engine.io';
import { createClient } from 'lobby-rx';
import { lobbyGate, type PlayerSocket } from 'lobby-rx/lobby-server';
import { waitUntil } from '../../../wait-until.js';
import { confirmations, openGate, type OpenGate } from '../gate.js';
import { connectRaw, handshakeRequest } from '../raw-client.js';
import { connectPlayer, tryConnect } from '../connect-player.js';

describe('lobbyGate and the upgrade requests of its server', () => {
  let gate: OpenGate;
  const at = (query = '', path = '/') => `ws://127.0.0.1:${gate.port}${path}${query}`;
  afterEach(() => gate.close());

  it('admits players with unusual paths', async () => {
    gate = await openGate();
    for (const [i, path] of ['//', '/%', '//a:b'].entries()) {
      await connectPlayer(at(`?token=${gate.reserveToken()}`, path));
      await waitUntil(() => gate.admitted.length === i + 1);
      deepStrictEqual([gate.admitted[i]!.url, gate.admitted[i]!.searchParams.size], [path, 0]);
    }
  });

  it('is not called for a URL that the server itself refuses as too long', async () => {
    gate = await openGate();
    const client = connect(gate.port, '127.0.0.1');
    client.on('error', () => undefined);
    let answer = '';
    client.on('data', data => {
      answer += data.toString();
    });
    client.write(`GET /?token=${'x'.repeat(10 * 2 ** 20)} HTTP/1.1\r\nHost: a\r\n`);
    await new Promise(resolve => client.on('close', resolve));
    ok(/^(HTTP\/1.1 431|$)/.test(answer), answer.slice(0, 20));
    strictEqual(gate.log.length, 0);
  });

  const malformed: readonly (readonly [string, (whole: string) => string])[] = [
    ['has no key', whole => whole.replace(/Sec-WebSocket-Key.*\r\n/, '')],
    ['is followed by data', whole => `${whole}x`],
  ];
  for (const [what, malform] of malformed) {
    it(`uses no token if the handshake is invalid: it ${what}`, async () => {
      gate = await openGate();
      const token = gate.reserveToken();
      const client = connect(gate.port, '127.0.0.1');
      let answer = '';
      client.on('data', data => {
        answer += data.toString();
      });
      client.write(malform(handshakeRequest(`/?token=${token}`)));
      await new Promise(resolve => client.on('close', resolve));
      ok(answer.startsWith('HTTP/1.1 400'), answer);
      deepStrictEqual([confirmations(gate), gate.emulator.playerState(token)], [0, 'reserved']);
      const { kind, ...entry } = gate.log[0]!;
      ok(kind === 'refused' && gate.log.length === 1);
      deepStrictEqual('code' in entry && entry.code, 400);
    });
  }

  it('handles its own path only, beside other gates', async () => {
    gate = await openGate({ path: '/play' });
    const { server, client } = gate;
    const inLounge: PlayerSocket[] = [];
    const lounge = lobbyGate({ server, client, path: '/lounge', token: 'query' }).subscribe(socket =>
      inLounge.push(socket),
    );
    strictEqual((await tryConnect(at(`?token=${gate.reserveToken()}`, '/play'))).kind, 'open');
    strictEqual((await tryConnect(at(`?token=${gate.reserveToken()}`, '/lounge'))).kind, 'open');
    const nowhere = await tryConnect(at(`?token=${gate.reserveToken()}`, '/nowhere'));
    ok(nowhere.kind === 'refused');
    deepStrictEqual([nowhere.status, nowhere.body], [404, 'no_such_path']);
    strictEqual(gate.admitted.length, 1);

    lounge.unsubscribe();
    for (const socket of inLounge) socket.close();
    strictEqual(inLounge.length, 1);
  });

  it('logs and counts a request for a path that no gate has, once', async () => {
    const server = createServer();
    gate = await openGate({ server, path: '/play', addressOf: () => '203.0.113.7' });
    const lounge = lobbyGate({ server, client: gate.client, path: '/lounge' }).subscribe();
    const nowhere = await tryConnect(at(`?token=${gate.reserveToken()}`, '/nowhere'));
    ok(nowhere.kind === 'refused' && nowhere.body === 'no_such_path');
    deepStrictEqual(
      gate.log.map(entry => ({ ...entry, at: 0 })),
      [{ kind: 'refused', at: 0, address: '203.0.113.7', code: 404, reason: 'no_such_path' }],
    );
    deepStrictEqual((await firstValueFrom(gate.stats$)).refused, { no_such_path: 1 });
    lounge.unsubscribe();
  });

  it('leaves other paths to the other listeners of its server, and survives their broken connections', async () => {
    const server = createServer();
    const others: string[] = [];
    server.on('upgrade', ({ url }, socket) => {
      others.push(url!);
      if (url === '/other') socket.end('HTTP/1.1 418 Other\r\n\r\n');
    });
    gate = await openGate({ server, path: '/play' });
    const other = await tryConnect(at('', '/other'));
    ok(other.kind === 'refused' && other.status === 418);
    const client = connect(gate.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await waitUntil(() => others.length === 2);
    client.resetAndDestroy();
    await connectPlayer(at(`?token=${gate.reserveToken()}`, '/play'));
  });

  it('does not take the answer to an earlier request on the connection for that of another listener', async () => {
    const server = createServer((_, response) => void Promise.resolve().then(() => response.end('a page')));
    gate = await openGate({ server });
    const client = await connectRaw(gate.port, '/', 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitUntil(() => gate.log.length === 1);
    deepStrictEqual(
      gate.log.map(entry => entry.kind === 'refused' && entry.reason),
      ['no_token'],
    );
    client.destroy();
  });

  for (const token of ['message', 'query'] as const) {
    it(`is in the log, once, if another listener answers, too (${token})`, async () => {
      const server = createServer();
      // As @fastify/websocket does for a path that it does not know, and express-ws for any.
      server.on('upgrade', (_, socket) => socket.write('HTTP/1.1 404 Not Found\r\n\r\n'));
      gate = await openGate({ server, token });
      for (let player = 0; player < 2; player++) {
        const client = await connectRaw(gate.port, `/?token=${gate.reserveToken()}`);
        client.resume();
        await waitUntil(() => client.closed);
      }
      deepStrictEqual(
        gate.log.flatMap(entry => (entry.kind === 'answered_twice' ? [entry.address] : [])),
        ['127.0.0.1'],
      );
      strictEqual(gate.admitted.length, 0);
    });
  }

  it('works beside a WebSocketServer with noServer that handles its own path', async () => {
    const server = createServer();
    const wss = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/other') wss.handleUpgrade(request, socket, head, ws => ws.send('hello'));
    });
    gate = await openGate({ server, path: '/play' });
    strictEqual((await tryConnect(at(`?token=${gate.reserveToken()}`, '/play'))).kind, 'open');
    const other = await tryConnect(at('', '/other'));
    ok(other.kind === 'open');
    other.ws.terminate();
  });

  it('works beside engine.io, of which socket.io is made, with a path and destroyUpgrade: false', async () => {
    const server = createServer();
    const engine = new EngineServer();
    engine.attach(server, { path: '/engine.io', destroyUpgrade: false });
    gate = await openGate({ server, path: '/play', holdRequests: true });
    const player = tryConnect(at(`?token=${gate.reserveToken()}`, '/play'));
    await waitUntil(() => gate.heldRequests() === 1);
    const other = tryConnect(at('?EIO=4&transport=websocket', '/engine.io/'));
    await waitUntil(() => engine.clientsCount === 1);
    const { ws } = (await other) as Extract<Awaited<typeof other>, { kind: 'open' }>;
    ws.terminate();
    gate.sendHeldRequests();
    strictEqual((await player).kind, 'open');
    engine.close();
  });

  const tooMuch: readonly (readonly [string, string, string])[] = [
    ['a URL of 16,385 characters', `/?a=${'x'.repeat(16_381)}`, ''],
    ['65 parameters', `/?${'a&'.repeat(65)}`, ''],
    ['101 headers', '/', Array.from({ length: 97 }, (_, i) => `x${i}: y\r\n`).join('')],
    [
      '17 subprotocols',
      '/',
      `Sec-WebSocket-Protocol: ${Array.from({ length: 17 }, (_, i) => `p${i}`).join()}\r\n`,
    ],
  ];
  for (const [what, url, header] of tooMuch) {
    it(`refuses ${what} without reading them`, async () => {
      const server = createServer({ maxHeaderSize: 65_536 });
      gate = await openGate({ server, token: 'message' });
      const client = connect(gate.port, '127.0.0.1');
      let answer = '';
      client.on('data', data => {
        answer += data.toString();
      });
      client.write(handshakeRequest(url).replace('Host: a\r\n', `Host: a\r\n${header}`));
      await once(client, 'close');
      ok(/^HTTP\/1.1 400 [^]*no_handshake$/.test(answer), answer);
      strictEqual(gate.log.length, 1);
    });
  }

  const requests: readonly (readonly [string, string, string, RegExp])[] = [
    ['POST', 'POST', 'websocket', /^HTTP\/1.1 400 [^]*no_handshake$/],
    ['PUT', 'PUT', 'websocket', /^HTTP\/1.1 400 [^]*no_handshake$/],
    ['GET for another protocol', 'GET', 'h2c', /^HTTP\/1.1 400 [^]*no_handshake$/],
  ];
  for (const [what, method, protocol, expected] of requests) {
    it(`answers and logs the same for a ${what} with upgrade headers`, async () => {
      gate = await openGate();
      const token = gate.reserveToken();
      const client = connect(gate.port, '127.0.0.1');
      let answer = '';
      client.on('data', data => {
        answer += data.toString();
      });
      client.write(
        handshakeRequest(`/?token=${token}`).replace('GET', method).replace('websocket', protocol),
      );
      await once(client, 'close');
      ok(expected.test(answer), answer);
      const [{ code, reason }] = gate.log as unknown as [Record<string, unknown>];
      deepStrictEqual([code, reason], [Number(answer.slice(9, 12)), 'no_handshake']);
      deepStrictEqual([confirmations(gate), gate.emulator.playerState(token)], [0, 'reserved']);
    });
  }

  it('does not count a request that is still being sent', async () => {
    const server = createServer({ connectionsCheckingInterval: 20 });
    gate = await openGate({ server, maxPending: 1 });
    const token = gate.reserveToken();
    const slow = connect(gate.port, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(`GET /?token=${token} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n`);
    await connectPlayer(at(`?token=${gate.reserveToken()}`));
    slow.resume();
    // Set only now: on a busy machine, a valid player may take longer than that.
    server.headersTimeout = 1;
    server.requestTimeout = 1;
    await once(slow, 'close');
    deepStrictEqual([gate.admitted.length, gate.emulator.playerState(token)], [1, 'reserved']);
  });

  it('destroys the connection of a refused client that does not read the answer', async () => {
    gate = await openGate();
    gate.server
      .removeAllListeners('request')
      .on('request', (_, response) => response.end('x'.repeat(20_000_000)));
    const sockets: Socket[] = [];
    gate.server.on('connection', socket => sockets.push(socket));
    const client = await connectRaw(gate.port, '/', 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitUntil(() => gate.log.length === 1);
    ok(!sockets[0]!.destroyed);
    gate.pass(1_000);
    await waitUntil(() => sockets[0]!.destroyed);
    client.destroy();
  });
});

describe('lobbyGate and the listeners of its server', () => {
  it('causes no warning, however many gates and readers of figures there are', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const server = createServer();
    const client = createClient({ url: 'http://127.0.0.1:1', token: 't' });
    const gates = Array.from({ length: 12 }, (_, i) => lobbyGate({ server, client, path: `/${i}` }));
    const subscriptions = gates.flatMap(gate => [
      gate.subscribe(),
      gate.stats$.subscribe(),
      gate.stats$.subscribe(),
    ]);
    await new Promise(setImmediate);
    for (const subscription of subscriptions) subscription.unsubscribe();
    process.off('warning', onWarning);
    deepStrictEqual(warnings, []);
    strictEqual(server.getMaxListeners(), 10);
    strictEqual(server.listenerCount('close'), 0);
  });
});
