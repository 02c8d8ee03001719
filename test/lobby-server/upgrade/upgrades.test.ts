import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { lobbyGate, type LobbySocket } from 'lobby-rx/lobby-server';
import { waitUntil } from '../../wait-until.js';
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
    client.on('data', data => (answer += data.toString()));
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
      client.on('data', data => (answer += data.toString()));
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
    const inLounge: LobbySocket[] = [];
    const lounge = lobbyGate({ server, client, path: '/lounge' }).subscribe(socket => inLounge.push(socket));
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

  it('destroys a socket that another listener has upgraded too', async () => {
    const server = createServer();
    const wss = new WebSocketServer({ server });
    gate = await openGate({ server });
    const token = gate.reserveToken();
    const result = await connectPlayer(at(`?token=${token}`));
    strictEqual((await result.closed).code, 1006);
    await waitUntil(() => gate.gone.length === 1);
    deepStrictEqual([gate.gone, gate.admitted], [[token], []]);
    wss.close();
  });

  it('does not count a request that is still being sent', async () => {
    const server = createServer({ connectionsCheckingInterval: 20 });
    gate = await openGate({ server, maxChecks: 1 });
    const token = gate.reserveToken();
    const slow = connect(gate.port, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(`GET /?token=${token} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n`);
    await connectPlayer(at(`?token=${gate.reserveToken()}`));
    slow.resume();
    // Set only now: on a busy machine, a valid player may take longer than that.
    server.headersTimeout = server.requestTimeout = 1;
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
