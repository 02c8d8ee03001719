import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { firstValueFrom, take, toArray } from 'rxjs';
import { createClient, whyNotConnected } from 'lobby-rx';
import { connectPlayer, tryConnect } from '../integrations/lobby-server/connect-player.js';
import { handshakeRequest } from '../integrations/lobby-server/raw-client.js';
import { lobbyRx } from '../tools/cli/lobby-rx.js';
import { spawnTs, type RunningProgram } from '../spawn-ts.js';
import { waitUntil } from '../wait-until.js';

const MAIN = join(import.meta.dirname, '../../examples/lobby-server/main.ts');
const PLAY = join(import.meta.dirname, '../../examples/lobby-server/play.ts');

/** The output of `lobby-rx emulate --json`. */
interface EmulatorInfo {
  readonly url: string;
  readonly identityToken: string;
  readonly lobbyToken: string;
  readonly playerToken: string;
}

describe('The complete server of docs/gate.md', () => {
  const file = join(import.meta.dirname, 'complete-server.tmp.ts');
  after(() => rmSync(file, { force: true }));

  it('admits a player beside strangers, and ends although they stay', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/gate.md'), 'utf8');
    const [, program] = /```ts\n(import[^]*?process\.once\('SIGINT'[^]*?)```/.exec(page)!;
    writeFileSync(file, program!);
    const emulator = lobbyRx(['emulate', '--json']);
    await emulator.prints('}\n');
    const info = JSON.parse(emulator.out()) as EmulatorInfo;
    const port = await freePort();
    const env = { LOBBY_URL: info.url, LOBBY_TOKEN: info.lobbyToken, PORT: String(port) };
    const server = spawnTs(file, [], { env });
    await waitUntil(() => isListening(port));
    const sent = ['', 'GET /play HTTP/1.1\r\n', handshakeRequest('/play'), handshakeRequest('/elsewhere')];
    const strangers = await Promise.all(sent.map(text => connectSilently(port, text)));

    const ada = await connectPlayer(`ws://127.0.0.1:${port}/play?name=Ada&token=${info.playerToken}`);
    await server.prints('1 playing');
    const seen: string[] = [];
    ada.ws.on('message', (data: Buffer) => seen.push(data.toString()));
    ada.ws.send('hello');
    await waitUntil(() => seen.includes('Ada: hello'));
    server.process.kill('SIGTERM');
    deepStrictEqual(await ada.closed, { code: 1001, reason: 'the lobby closes' });
    const { code, out, err } = await server.exited;
    deepStrictEqual([code, err, out.includes(info.playerToken)], [0, '', false]);
    for (const stranger of strangers) stranger.destroy();
    emulator.process.kill();
    await emulator.exited;
  });
});

/** Connects to a server of this machine, and sends this and nothing more. */
async function connectSilently(port: number, sent: string): Promise<Socket> {
  const stranger = connect(port, '127.0.0.1').on('error', () => undefined);
  stranger.write(sent);
  await once(stranger, 'connect');
  return stranger;
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise(resolve => {
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

describe('examples/lobby-server', () => {
  let emulator: RunningProgram;
  let lobby: RunningProgram;
  afterEach(async () => {
    for (const run of [lobby, emulator]) run.process.kill();
    await Promise.all([lobby.exited, emulator.exited]);
  });

  it('is a game for two players and a cheat, on lobby-rx emulate', async () => {
    emulator = lobbyRx(['emulate', '--live', '--every', '30', '--json']);
    await emulator.prints('}\n');
    const info = JSON.parse(emulator.out()) as EmulatorInfo;
    const env = { LOBBY_URL: info.url, LOBBY_TOKEN: info.lobbyToken };
    lobby = spawnTs(MAIN, [], { env });
    await lobby.prints('open on');
    const [url] = /ws:\S+\//.exec(lobby.out())!;

    const { feed } = createClient({ url: info.url, token: info.identityToken }).events;
    const [second, third] = await firstValueFrom(feed.lobbyJoin$.pipe(take(2), toArray()));
    const tokens = [info.playerToken, second!.player.token, third!.player.token] as const;

    const ada = await connectPlayer(`${url}?name=Ada&token=${tokens[0]}`);
    const seen: string[] = [];
    ada.ws.on('message', (data: Buffer) => seen.push(data.toString()));
    const shows = async (text: string) => {
      while (!seen.at(-1)?.includes(text)) await once(ada.ws, 'message');
    };
    await lobby.prints('1 playing');

    const grace = await connectPlayer(`${url}?name=Grace`);
    grace.ws.send(tokens[1]);
    grace.ws.send('{"say":"hello"}');
    grace.ws.send('{"move":{"dx":1,"dy":-1}}');
    await shows('"name":"Grace","x":1,"y":0}]');
    ok(
      seen.includes(
        '{"players":[{"name":"Ada","x":0,"y":0},{"name":"Grace","x":0,"y":0}],"chat":{"name":"Grace","text":"hello"}}',
      ),
    );

    const cheat = await tryConnect(`${url}?name=Ada&token=${tokens[0]}`);
    ok(cheat.kind === 'refused' && cheat.status === 403);
    const again = await connectPlayer(`${url}?name=Mallory&token=${tokens[2]}`);
    await shows('Mallory');
    again.ws.send('{"move":{"dx":7,"dy":7}}');
    deepStrictEqual(await again.closed, { code: 4400, reason: 'not a move' });
    await lobby.prints('3 playing\n2 playing');

    // Strangers who hold a connection do not keep the lobby open.
    for (const sent of ['', 'GET / HTTP/1.1\r\n']) await connectSilently(Number(new URL(url).port), sent);
    lobby.process.kill('SIGTERM');
    for (const { closed } of [ada, grace]) {
      deepStrictEqual(await closed, { code: 1001, reason: 'the lobby is closing' });
    }
    const { code, out, err } = await lobby.exited;
    deepStrictEqual([code, err], [0, '']);
    match(out, /refused: already_connected/);
    match(out, /1 playing\n0 playing\n$/);
    ok(tokens.every(token => !out.includes(token)));

    // The slots of players who have left are free: the service has removed these players from the lobby.
    const { players } = createClient({ url: info.url, token: info.lobbyToken }).matchmaker;
    for (const player_token of tokens) {
      const error: unknown = await firstValueFrom(players.connected({ player_token })).catch(
        (e: unknown) => e,
      );
      deepStrictEqual(whyNotConnected(error), { outcome: 'refused', reason: 'removed' });
    }
  });

  it('says which variables to set', async () => {
    emulator = lobby = spawnTs(MAIN, [], { env: { LOBBY_URL: 'http://127.0.0.1:1' } });
    const { code, err } = await lobby.exited;
    strictEqual(code, 2);
    match(err, /^Set LOBBY_URL, and LOBBY_TOKEN/);
  });

  it('can be played by two in two terminals, with a service of its own', async () => {
    lobby = spawnTs(MAIN, [], { isOpen: true });
    await lobby.prints('Ctrl-C to stop');
    const urls = [...lobby.out().matchAll(/npm run play -- '(\S+)'/g)].map(match => match[1]!);
    strictEqual(urls.length, 2);
    const [ada, grace] = urls.map(url => spawnTs(PLAY, [url], { isOpen: true })) as [
      RunningProgram,
      RunningProgram,
    ];
    await Promise.all([ada.prints('You are in'), grace.prints('You are in')]);
    await lobby.prints('2 playing');
    ada.process.stdin!.write('d\nhello\u001b[2J\n');
    await grace.prints('Ada: hello [2J');
    ok(grace.out().includes('G A'), grace.out());
    grace.process.stdin!.end();
    strictEqual((await grace.exited).code, 0);
    await lobby.prints('1 playing\n');

    const again = spawnTs(PLAY, [urls[1]!], { isOpen: true });
    const refused = await again.exited;
    strictEqual(refused.code, 1);
    match(refused.err, /^The lobby has refused you \(403 removed\): each URL works once/);
    lobby.process.stdin!.write('player\n');
    await lobby.prints('a slot is reserved\n  player_token   player.');
    lobby.process.stdin!.write('jion\n');
    await lobby.prints('command must be one of player');
    await lobby.prints('type help for all commands');

    lobby.process.kill('SIGINT');
    const [{ code, err }, left] = await Promise.all([lobby.exited, ada.exited]);
    deepStrictEqual([code, err, left.code], [0, '', 1]);
    match(left.err, /^You are out: 1001 the lobby is closing\n$/);
    emulator = lobby;
  });

  it("says which service it uses, and tells players why they are refused if the token is not the lobby's", async () => {
    emulator = lobbyRx(['emulate', '--json']);
    await emulator.prints('}\n');
    const info = JSON.parse(emulator.out()) as EmulatorInfo;
    lobby = spawnTs(MAIN, [], { env: { LOBBY_URL: info.url, LOBBY_TOKEN: info.identityToken } });
    await lobby.prints(`using LOBBY_URL=${info.url} `);
    const [url] = /ws:\S+\//.exec(lobby.out())!;
    const refused = await spawnTs(PLAY, [`${url}?token=${info.playerToken}`], { isOpen: true }).exited;
    deepStrictEqual(
      [refused.code, refused.err],
      [
        1,
        "The lobby has refused you (503 unauthorized): the lobby's own token is wrong; see what the lobby prints.\n",
      ],
    );
    await lobby.prints('The service refuses LOBBY_TOKEN.');
  });

  it('tells a player when to try again', async () => {
    const server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    emulator = lobby = spawnTs(PLAY, [`ws://127.0.0.1:${port}/?token=a`], { isOpen: true });
    const { code, err } = await lobby.exited;
    server.close();
    deepStrictEqual([code, err], [1, 'The lobby has refused you (503 busy): try again in 7 s.\n']);
  });

  it('has a port of its own choice, that of PORT, or that of --port', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { PORT: String(port) };
    emulator = lobby = spawnTs(MAIN, [], { env });
    match((await lobby.exited).err, new RegExp(`^Port ${port} is already in use`));
    server.close();
    lobby = spawnTs(MAIN, ['--port', '0'], { env });
    await lobby.prints('open on ws://127.0.0.1:');
    ok(!lobby.out().includes(`:${port}/`), lobby.out());
  });

  it('shows metrics to Prometheus, and says if it cannot', async () => {
    const port = await freePort();
    const env = { OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
    emulator = lobby = spawnTs(MAIN, ['--metrics'], { env });
    await lobby.prints('open on ws://');
    match(lobby.out(), new RegExp(`^metrics: http://127.0.0.1:${port}/metrics$`, 'm'));
    const scraped = await fetch(`http://127.0.0.1:${port}/metrics`);
    match(await scraped.text(), /^lobby_gate_admitted_total\{.*\} 0$/m);
    const second = spawnTs(MAIN, ['--metrics'], { env });
    const { code, err } = await second.exited;
    strictEqual(code, 2);
    match(err, new RegExp(`^--metrics: port ${port} cannot be used: EADDRINUSE`));
  });

  it('has help, and says in one line what is wrong with its arguments', async () => {
    const helped = spawnTs(MAIN, ['--help']);
    emulator = lobby = helped;
    const { code, out } = await helped.exited;
    strictEqual(code, 0);
    match(out, /--port N .*PORT, or else a free one$/m);
    for (const [args, env, message] of [
      [['--prot', '1'], {}, /^Unknown option '--prot'; see npm run lobby -- --help\n$/],
      [['--port', 'x'], {}, /^The port must be a whole number from 0 to 65535; got 'x'.\n$/],
      [['--port', '70000'], {}, /^The port must be a whole number/],
      [['8080'], {}, /^Unexpected argument '8080'[^\n]*; see npm run lobby -- --help\n$/],
      [[], { LOBBY_URL: 'nowhere', LOBBY_TOKEN: 'a' }, /^LOBBY_URL or LOBBY_TOKEN cannot be used: .*\n$/],
    ] as const) {
      emulator = lobby = spawnTs(MAIN, args, { env });
      const ended = await lobby.exited;
      strictEqual(ended.code, 2, ended.err);
      match(ended.err, message);
    }
  });

  it('says in one line that its port is in use', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    emulator = lobby = spawnTs(MAIN, ['--port', String(port)]);
    const { code, out, err } = await lobby.exited;
    server.close();
    deepStrictEqual([code, out], [1, '']);
    match(err, new RegExp(`^Port ${port} is already in use; choose another one: .*\n$`));
  });
});
