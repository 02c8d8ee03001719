import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { lastValueFrom, take } from 'rxjs';
import { WebSocketServer } from 'ws';
import { lobbyGate, type LobbyGateConfig, type LobbySocket } from 'lobby-rx/lobby-server';
import { isInputError } from 'lobby-rx';
import { until } from '../until.js';
import { virtualTime } from '../virtual-time.js';
import { openGate, type OpenGate } from './gate.js';
import { knock } from './knock.js';
import { enter, visit } from './visit.js';

describe('a lobby gate, and what it puts up with', () => {
  let gate: OpenGate;
  const at = (query = '', path = '/') => `ws://127.0.0.1:${gate.port}${path}${query}`;
  afterEach(() => gate.close());

  it('confirms so many tokens at once, and asks the others to come again', async () => {
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

  it('confirms 256 at once where it is told nothing else', async () => {
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

  it('waits for so many to say their token', async () => {
    gate = await openGate({ maxWaiting: 2, firstMessage: true });
    const first = await enter(at());
    await enter(at());
    const third = await visit(at());
    ok(third.kind === 'refused' && third.status === 503);
    first.ws.send(gate.reserve());
    await until(() => gate.admitted.length === 1);
    await enter(at());
  });

  const floods: readonly (readonly [string, Partial<LobbyGateConfig>, number, number])[] = [
    ['64 messages', {}, 64, 1],
    ['256 KiB', {}, 4, 65_536],
    ['3 messages, if it is told so', { maxHeldMessages: 3 }, 3, 1],
    ['100 bytes, if it is told so', { maxHeldBytes: 100 }, 2, 50],
  ];
  for (const [what, config, fitting, bytes] of floods) {
    it(`holds ${what}, and closes who sends more`, async () => {
      gate = await openGate(config);
      const message = 'x'.repeat(bytes);
      for (const [i, count] of [fitting, fitting + 1].entries()) {
        const { ws, ending } = await enter(at(`?token=${gate.reserve()}`));
        for (let nth = 0; nth < count; nth++) ws.send(message);
        await until(() => gate.admitted.length === i + 1);
        const socket = gate.admitted[i]!;
        if (count === fitting) {
          ws.ping();
          await once(ws, 'pong');
          const heard: unknown[] = [];
          socket.message$.subscribe(text => heard.push(text));
          strictEqual(heard.length, fitting);
        } else {
          deepStrictEqual(await ending, { code: 4413, reason: 'too many messages at once' });
        }
      }
    });
  }

  it('holds while he is being confirmed, too, and then admits nobody', async () => {
    gate = await openGate({ isHeld: true, firstMessage: true, maxHeldMessages: 3 });
    const token = gate.reserve();
    const { ws, ending } = await enter(at());
    for (const message of [token, 1, 2, 3, 4]) ws.send(String(message));
    strictEqual((await ending).code, 4413);
    gate.goOn();
    await until(() => gate.gone.length === 1);
    deepStrictEqual([gate.gone, gate.admitted], [[token], []]);
  });

  it('holds what comes between two subscribers', async () => {
    gate = await openGate();
    const { ws } = await enter(at(`?token=${gate.reserve()}`));
    for (const message of ['hello', 'one', 'two']) ws.send(message);
    await until(() => gate.admitted.length === 1);
    ws.ping();
    await once(ws, 'pong');
    const [socket] = gate.admitted;
    const heard: unknown[] = [];
    socket!.message$.pipe(take(1)).subscribe(message => heard.push([message]));
    socket!.message$.subscribe(message => heard.push(message));
    deepStrictEqual(heard, [['hello'], 'one', 'two']);
  });

  it('closes who sends a message that is too large', async () => {
    gate = await openGate({ maxPayload: 10 });
    const { ws, ending } = await enter(at(`?token=${gate.reserve()}`));
    ws.send('0123456789');
    ws.send('01234567890');
    strictEqual((await ending).code, 1009);
    await until(() => gate.gone.length === 1);
  });

  it('closes who does not read what he is sent, but not who only takes his time', async () => {
    const { scheduler, pass } = virtualTime();
    gate = await openGate({ scheduler, maxBufferedAmount: 100_000 });
    const deaf = await enter(at(`?token=${gate.reserve()}`));
    const slow = await enter(at(`?token=${gate.reserve()}`));
    for (const { ws } of [deaf, slow]) ws.pause();
    await until(() => gate.admitted.length === 2);
    const ends: unknown[] = [];
    for (const socket of gate.admitted) {
      socket.closed$.subscribe(end => ends.push([gate.admitted.indexOf(socket), end]));
      while (socket.bufferedAmount <= 100_000) socket.send('x'.repeat(1_000_000));
    }
    pass(4_000);
    slow.ws.resume();
    await until(() => gate.admitted[1]!.bufferedAmount === 0);
    slow.ws.pause();
    while (gate.admitted[1]!.bufferedAmount <= 100_000) gate.admitted[1]!.send('x'.repeat(1_000_000));
    pass(999);
    deepStrictEqual(ends, []);
    pass(1);
    await until(() => ends.length > 0);
    deepStrictEqual(ends, [[0, { code: 4413, reason: 'does not read' }]]);
    for (const { ws } of [deaf, slow]) ws.terminate();
  });

  it('sees off who answers neither of two pings, and nobody else', async () => {
    const { scheduler, pass } = virtualTime();
    gate = await openGate({ scheduler });
    const dead = await enter(at(`?token=${gate.reserve()}`));
    dead.ws.pause();
    const alive = await enter(at(`?token=${gate.reserve()}`));
    await until(() => gate.admitted.length === 2);
    for (let beats = 1; beats <= 5; beats++) {
      const pinged = once(alive.ws, 'ping');
      pass(30_000);
      await pinged;
      // Its pong is here when what was sent behind it is.
      const behind = once(alive.ws, 'pong');
      alive.ws.ping();
      await behind;
      if (beats >= 3) await until(() => gate.gone.length === 1);
      strictEqual(gate.gone.length, beats < 3 ? 0 : 1, `${beats}`);
    }
    strictEqual(gate.gone[0], gate.admitted[0]!.token);
    strictEqual(alive.ws.readyState, alive.ws.OPEN);
    dead.ws.terminate();
  });

  it('hears nothing more of whom it closes', async () => {
    gate = await openGate();
    const { ws, ending } = await enter(at(`?token=${gate.reserve()}`));
    await until(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    const heard: unknown[] = [];
    socket!.message$.subscribe(message => heard.push(message));
    ws.pause();
    socket!.close(4000, 'enough');
    // He has not heard of it yet.
    ws.send('and another thing');
    ws.ping();
    ws.resume();
    deepStrictEqual([await ending, heard], [{ code: 4000, reason: 'enough' }, []]);
  });

  it('waits a second for the goodbye of whom it turns away', async () => {
    const { scheduler, pass } = virtualTime();
    gate = await openGate({ scheduler, firstMessage: true });
    const client = await knock(gate.port, '/');
    await once(client, 'data');
    // An empty text message, masked with zeros, and then whatever else.
    for (let i = 0; i < 5; i++) client.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]));
    const [frame] = (await once(client, 'data')) as [Buffer];
    strictEqual(frame.readUInt16BE(2), 4401);
    const closed = once(client, 'close');
    pass(999);
    client.write(Buffer.from([0x81, 0x80, 0, 0, 0, 0]));
    pass(1);
    await closed;
    strictEqual(gate.admitted.length, 0);
  });

  it('cuts who does not read why he was turned away', async () => {
    const { scheduler, pass } = virtualTime();
    gate = await openGate({ scheduler });
    gate.server
      .removeAllListeners('request')
      .on('request', (_, response) => response.end('x'.repeat(20_000_000)));
    const sockets: Socket[] = [];
    gate.server.on('connection', socket => sockets.push(socket));
    const client = await knock(gate.port, '/', 'GET /page HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => gate.log.length === 1);
    ok(!sockets[0]!.destroyed);
    pass(1_000);
    await until(() => sockets[0]!.destroyed);
    client.destroy();
  });

  it('says how a socket ended that broke the protocol', async () => {
    gate = await openGate();
    const client = await knock(gate.port, `/?token=${gate.reserve()}`);
    await until(() => gate.admitted.length === 1);
    client.write(Buffer.from([0x81, 0x01, 0x20]));
    client.end();
    const end = await lastValueFrom(gate.admitted[0]!.closed$);
    deepStrictEqual(end, { code: 1002, reason: 'WS_ERR_EXPECTED_MASK' });
  });

  it('says what cannot be sent as a close frame', async () => {
    gate = await openGate();
    await enter(at(`?token=${gate.reserve()}`));
    await until(() => gate.admitted.length === 1);
    const [socket] = gate.admitted;
    for (const code of [0, 999, 1005, 1006, 1015, 2000, 5000, 1000.5]) {
      throws(() => socket!.close(code), isInputError, `${code}`);
    }
    throws(() => socket!.close(1000, 'ä'.repeat(62)), isInputError);
    socket!.close(1001, 'x'.repeat(123));
  });

  it('asks about the origin and the address', async () => {
    const asked: unknown[] = [];
    gate = await openGate({
      isOriginAllowed: origin => origin === undefined || origin === 'https://game.example',
      isAddressAllowed: (address, open) => {
        asked.push([address, open]);
        return open < 2;
      },
      addressOf: ({ headers }) => String(headers['x-forwarded-for'] ?? 'none'),
    });
    const token = gate.reserve();
    const wrong = await visit(at(`?token=${token}`), { origin: 'https://evil.example' });
    ok(wrong.kind === 'refused');
    deepStrictEqual([wrong.status, wrong.body], [403, 'origin']);

    const from = (address: string) =>
      visit(at(`?token=${gate.reserve()}`), {
        origin: 'https://game.example',
        headers: { 'x-forwarded-for': address },
      });
    const visits = [await from('a'), await from('a'), await from('a'), await from('b')];
    deepStrictEqual(
      visits.map(visited => (visited.kind === 'refused' ? visited.status : visited.kind)),
      ['open', 'open', 429, 'open'],
    );
    deepStrictEqual(asked.slice(-4), [
      ['a', 0],
      ['a', 1],
      ['a', 2],
      ['b', 0],
    ]);
    if (visits[0]!.kind === 'open') visits[0]!.ws.close();
    await until(() => gate.gone.length === 1);
    strictEqual((await from('a')).kind, 'open');
    deepStrictEqual(asked.at(-1), ['a', 1]);
    deepStrictEqual([gate.admitted[0]!.address, gate.emulator.playerState(token)], ['a', 'reserved']);
  });

  for (const hook of ['isOriginAllowed', 'isAddressAllowed', 'addressOf'] as const) {
    it(`admits nobody where ${hook} throws`, async () => {
      gate = await openGate({
        [hook]: () => {
          throw new Error('broken');
        },
      });
      const visited = await visit(at(`?token=${gate.reserve()}`));
      ok(visited.kind === 'refused');
      deepStrictEqual([visited.status, visited.body], [500, 'hook_failed']);
      ok(gate.log.some(entry => entry.kind === 'hook_failed' && entry.hook === hook));
    });
  }

  for (const hook of ['isOriginAllowed', 'isAddressAllowed'] as const) {
    it(`admits nobody where ${hook} promises an answer, as no type lets it`, async () => {
      gate = await openGate({ [hook]: () => Promise.resolve(true) });
      const visited = await visit(at(`?token=${gate.reserve()}`));
      ok(visited.kind === 'refused' && (visited.status === 403 || visited.status === 429));
    });
  }

  it('shows no token in what a hook failed with', async () => {
    const token = 'a token+of/its%own';
    gate = await openGate({
      firstMessage: text => (JSON.parse(text) as { token: string }).token,
      addressOf: ({ url }) => {
        if (url === '/') return 'a';
        throw new Error(`what is ${url} ${new URL(url!, 'http://a').searchParams.get('token')}`);
      },
    });
    await visit(at(`?token=${encodeURIComponent(token)}`));
    const { ws, ending } = await enter(at());
    ws.send('secretSecret');
    await ending;
    deepStrictEqual(
      gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.error] : [])),
      ['Error', 'SyntaxError'],
    );
  });

  it('cannot be harmed by a log that throws, at once or later', async () => {
    for (const log of [
      () => {
        throw new Error('broken');
      },
      () => Promise.reject(new Error('broken')),
    ]) {
      gate = await openGate({ log: () => log() as unknown as undefined });
      await enter(at(`?token=${gate.reserve()}`));
      await until(() => gate.admitted.length === 1);
      await gate.close();
    }
    gate = await openGate();
  });

  it('keeps to its path, beside other gates and other listeners', async () => {
    gate = await openGate({ path: '/play' });
    const { server, client } = gate;
    const inLounge: LobbySocket[] = [];
    const lounge = lobbyGate({ server, client, path: '/lounge' }).subscribe(socket => inLounge.push(socket));
    strictEqual((await visit(at(`?token=${gate.reserve()}`, '/play'))).kind, 'open');
    strictEqual((await visit(at(`?token=${gate.reserve()}`, '/lounge'))).kind, 'open');
    const nowhere = await visit(at(`?token=${gate.reserve()}`, '/nowhere'));
    ok(nowhere.kind === 'refused');
    deepStrictEqual([nowhere.status, nowhere.body], [404, 'no_such_path']);
    strictEqual(gate.admitted.length, 1);

    lounge.unsubscribe();
    for (const socket of inLounge) socket.close();
    strictEqual(inLounge.length, 1);
  });

  it('leaves other paths to the other listeners of its server, and what breaks there harms nobody', async () => {
    const server = createServer();
    const others: string[] = [];
    server.on('upgrade', ({ url }, socket) => {
      others.push(url!);
      if (url === '/other') socket.end('HTTP/1.1 418 Other\r\n\r\n');
    });
    gate = await openGate({ server, path: '/play' });
    const other = await visit(at('', '/other'));
    ok(other.kind === 'refused' && other.status === 418);
    const client = connect(gate.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write('GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await until(() => others.length === 2);
    client.resetAndDestroy();
    await enter(at(`?token=${gate.reserve()}`, '/play'));
  });

  it('sees to it that a socket is made a WebSocket of once', async () => {
    const server = createServer();
    const wss = new WebSocketServer({ server });
    gate = await openGate({ server });
    const token = gate.reserve();
    const visited = await enter(at(`?token=${token}`));
    strictEqual((await visited.ending).code, 1006);
    await until(() => gate.gone.length === 1);
    deepStrictEqual([gate.gone, gate.admitted], [[token], []]);
    wss.close();
  });

  it('leaves plain requests to the server', async () => {
    gate = await openGate();
    strictEqual(await (await fetch(`http://127.0.0.1:${gate.port}/`)).text(), 'a page');
  });

  it('holds no place for who takes his time over the request itself', async () => {
    const server = createServer({ connectionsCheckingInterval: 20 });
    gate = await openGate({ server, maxChecks: 1 });
    const token = gate.reserve();
    const slow = connect(gate.port, '127.0.0.1');
    slow.on('error', () => undefined);
    slow.write(`GET /?token=${token} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n`);
    await enter(at(`?token=${gate.reserve()}`));
    slow.resume();
    // Only now: on a busy machine an honest player may take longer than that.
    server.headersTimeout = server.requestTimeout = 1;
    await once(slow, 'close');
    deepStrictEqual([gate.admitted.length, gate.emulator.playerState(token)], [1, 'reserved']);
  });

  it('finds what cannot be meant in its config', async () => {
    gate = await openGate();
    const { server, client } = gate;
    const wrong: readonly (readonly [string, object])[] = [
      ['server', { server: undefined }],
      ['client', { client: {} }],
      ['client', { client: { matchmaker: {} } }],
      ['path', { path: 'play' }],
      ['path', { path: 7 }],
      ['tokenParameter', { tokenParameter: '' }],
      ['tokenParameter', { tokenParameter: false }],
      ['firstMessage', { firstMessage: 'yes' }],
      ['firstMessageDeadline', { firstMessageDeadline: 0 }],
      ['maxChecks', { maxChecks: 0 }],
      ['maxHeldBytes', { maxHeldBytes: Infinity }],
      ['heartbeat', { heartbeat: 0 }],
      ['heartbeat', { heartbeat: 2 ** 31 }],
      ['onGone', { onGone: 'disconnect' }],
      ['maxcheks', { maxcheks: 1 }],
    ];
    for (const [name, config] of wrong) {
      throws(
        () => lobbyGate({ server, client, ...config }),
        error => isInputError(error) && error.message.includes(name),
        name,
      );
    }
  });
});
