import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, take, toArray } from 'rxjs';
import { WebSocket } from 'ws';
import { createClient, isLobbyClosedError, lobbyConnection, whyNotConnected } from 'lobby-rx';
import { tryOr } from '../../src/error/index.js';
import { recipe } from '../consumers/recipe.js';
import { connectPlayer } from '../integrations/lobby-server/connect-player.js';
import { handshakeRequest } from '../integrations/lobby-server/raw-client.js';
import { lobbyRx } from '../tools/cli/lobby-rx.js';
import { freePort } from '../free-port.js';
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

describe('The program of docs/lobby-server.md', () => {
  const file = join(import.meta.dirname, 'complete-server.tmp.ts');
  const folder = mkdtempSync(join(tmpdir(), 'players-'));
  after(() => {
    rmSync(file, { force: true });
    rmSync(folder, { recursive: true });
  });

  it('admits a player, who comes back, beside strangers, ends although they stay, and frees what a kill has left', async () => {
    writeFileSync(file, recipe('docs/lobby-server.md', 'createServer('));
    const emulator = lobbyRx(['emulate', '--json'], { isOpen: true });
    await emulator.prints('}\n');
    const info = JSON.parse(emulator.out()) as EmulatorInfo;
    const port = await freePort();
    const env = {
      LOBBY_RX_URL: info.url,
      LOBBY_TOKEN: info.lobbyToken,
      PORT: String(port),
      PLAYERS: folder,
      GATE: 'one',
    };
    const server = spawnTs(file, [], { env });
    await waitUntil(() => isListening(port));
    const sent = ['', 'GET /play HTTP/1.1\r\n', handshakeRequest('/play'), handshakeRequest('/elsewhere')];
    const strangers = await Promise.all(sent.map(text => connectSilently(port, text)));

    const sockets: WebSocket[] = [];
    class Tracked extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        sockets.push(this);
      }
    }
    const enter = (name: string, token: string) => {
      const url = `ws://127.0.0.1:${port}/play?name=${name}`;
      const connection = lobbyConnection({ url, token }, { WebSocket: Tracked });
      const seen: string[] = [];
      const reasons: unknown[] = [];
      connection.subscribe({
        next: message => seen.push(String(message)),
        error: (error: unknown) => reasons.push(isLobbyClosedError(error) ? error.reason : error),
      });
      return { connection, seen, reasons };
    };
    const ada = enter('Ada', info.playerToken);
    await waitUntil(() => ada.seen.length === 1);
    sockets[0]!.terminate();
    await waitUntil(() => /Ada is away\n.*\nAda is open/.test(server.out()));
    await waitUntil(() => ada.seen.length === 2);
    deepStrictEqual(ada.seen, ['{"text":"Welcome, Ada."}', '{"text":"Welcome, Ada."}']);
    ada.connection.send('hello');
    await waitUntil(() => ada.seen.at(-1) === '{"text":"Ada: hello"}');
    server.process.kill('SIGTERM');
    await waitUntil(() => ada.reasons.length === 1);
    deepStrictEqual(ada.reasons, ['gate_closed']);
    const { code, out, err } = await server.exited;
    deepStrictEqual([code, err], [0, '']);
    ok(!out.includes(info.playerToken));
    match(out, /"kind":"drained","at":\d+,"freed":1,"failed":0/);
    for (const stranger of strangers) stranger.destroy();

    emulator.process.stdin!.write('player\n');
    await emulator.prints('a slot is reserved');
    const killed = spawnTs(file, [], { env });
    await waitUntil(() => isListening(port));
    const grace = enter('Grace', /"player_token":"([^"]+)"/.exec(emulator.out())![1]!);
    await waitUntil(() => grace.seen.length === 1);
    strictEqual(slotsIn(folder), 1);
    killed.process.kill('SIGKILL');
    await killed.exited;
    const next = spawnTs(file, [], { env });
    await waitUntil(() => slotsIn(folder) === 0);
    next.process.kill();
    await next.exited;
    emulator.process.kill();
    await emulator.exited;
  });
});

/**
 * How many slots are kept: each is a file, in the folder of its token. A folder that goes while it
 * is read has none.
 */
function slotsIn(folder: string): number {
  const entries = tryOr(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.reduce(
    (count, entry) => count + (entry.isDirectory() ? slotsIn(join(folder, entry.name)) : 1),
    0,
  );
}

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

/** Passes connections on to a port, and can be down. */
async function openNetwork(target: number) {
  const lines = new Set<Socket>();
  let isUp = true;
  const server = createServer(near => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      lines.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    if (!isUp) return near.destroy();
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const set = (state: 'up' | 'down') => {
    isUp = state === 'up';
    if (!isUp) for (const socket of lines) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, set };
}

describe('examples/lobby-server', () => {
  let emulator: RunningProgram;
  let lobby: RunningProgram;
  afterEach(async () => {
    for (const run of [lobby, emulator]) run.process.kill();
    await Promise.all([lobby.exited, emulator.exited]);
  });

  it('is a game for two players and a cheat, on lobby-rx emulate', async () => {
    emulator = lobbyRx(['emulate', '--simulate', '--every', '30', '--json']);
    await emulator.prints('}\n');
    const info = JSON.parse(emulator.out()) as EmulatorInfo;
    const env = { LOBBY_RX_URL: info.url, LOBBY_TOKEN: info.lobbyToken };
    lobby = spawnTs(MAIN, [], { env });
    await lobby.prints('open on');
    const [url] = /ws:\S+\//.exec(lobby.out())!;

    const { feed } = createClient({ url: info.url, token: info.identityToken }).events;
    const [second, third] = await firstValueFrom(feed.lobbyJoin$.pipe(take(2), toArray()));
    const tokens = [info.playerToken, second!.player.token, third!.player.token] as const;

    const ada = await connectPlayer(`${url}?name=Ada`);
    ada.ws.send(tokens[0]);
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

    const cheat = await connectPlayer(`${url}?name=Ada`);
    cheat.ws.send(tokens[0]);
    strictEqual((await cheat.closed).code, 4403);
    const again = await connectPlayer(`${url}?name=Mallory`);
    again.ws.send(tokens[2]);
    await shows('Mallory');
    again.ws.send('{"move":{"dx":7,"dy":7}}');
    deepStrictEqual(await again.closed, { code: 4400, reason: 'not a move' });
    await lobby.prints('3 playing\n2 playing');

    // Strangers who hold a connection do not keep the lobby open.
    for (const sent of ['', 'GET / HTTP/1.1\r\n']) await connectSilently(Number(new URL(url).port), sent);
    lobby.process.kill('SIGTERM');
    for (const { closed } of [ada, grace]) {
      deepStrictEqual(await closed, { code: 1001, reason: 'gate_closed' });
    }
    const { code, out, err } = await lobby.exited;
    deepStrictEqual([code, err], [0, '']);
    match(out, /refused: already_connected/);
    match(out, /1 playing\n0 playing\n$/);
    ok(tokens.every(token => !out.includes(token)));

    // The slots of players who have left are free: the service has removed these players from the
    // lobby.
    const { players } = createClient({ url: info.url, token: info.lobbyToken }).matchmaker;
    for (const player_token of tokens) {
      const error: unknown = await firstValueFrom(players.connected({ player_token })).catch(
        (e: unknown) => e,
      );
      deepStrictEqual(whyNotConnected(error), { outcome: 'refused', reason: 'removed' });
    }
  });

  it('says which variables to set', async () => {
    lobby = spawnTs(MAIN, [], { env: { LOBBY_RX_URL: 'http://127.0.0.1:1' } });
    emulator = lobby;
    const { code, err } = await lobby.exited;
    strictEqual(code, 2);
    match(err, /^Set LOBBY_RX_URL, and LOBBY_TOKEN/);
  });

  it('can be played by two in two terminals, with a service of its own', async () => {
    lobby = spawnTs(MAIN, [], { isOpen: true });
    await lobby.prints('Ctrl-C to stop');
    const commands = [...lobby.out().matchAll(/npm run play -- '(\S+)' (\S+)/g)].map(match =>
      match.slice(1, 3),
    );
    strictEqual(commands.length, 2);
    const [ada, grace] = commands.map(args => spawnTs(PLAY, args, { isOpen: true })) as [
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

    const again = spawnTs(PLAY, commands[1]!, { isOpen: true });
    const refused = await again.exited;
    strictEqual(refused.code, 1);
    match(refused.err, /^You are out \(4403 removed\): each token works once/);
    lobby.process.stdin!.write('player\n');
    await lobby.prints('a slot is reserved\n  player_token   player.');
    lobby.process.stdin!.write('jion\n');
    await lobby.prints('command must be one of player');
    await lobby.prints('type help for all commands');

    lobby.process.kill('SIGINT');
    const [{ code, err }, left] = await Promise.all([lobby.exited, ada.exited]);
    deepStrictEqual([code, err, left.code], [0, '', 1]);
    match(left.err, /^You are out \(1001 gate_closed\)\.\n$/);
    emulator = lobby;
  });

  it("says which service it uses, and tells players why they are refused if the token is not the lobby's", async () => {
    emulator = lobbyRx(['emulate', '--json']);
    await emulator.prints('}\n');
    const info = JSON.parse(emulator.out()) as EmulatorInfo;
    lobby = spawnTs(MAIN, [], { env: { LOBBY_RX_URL: info.url, LOBBY_TOKEN: info.identityToken } });
    await lobby.prints(`using LOBBY_RX_URL=${info.url} `);
    const [url] = /ws:\S+\//.exec(lobby.out())!;
    const refused = spawnTs(PLAY, [url, info.playerToken], { isOpen: true });
    await refused.prints("You are not in yet. Trying again… The service rejects the lobby's own token.");
    refused.process.kill();
    await refused.exited;
    await lobby.prints('The service refuses LOBBY_TOKEN.');
  });

  it('says why a player is not in, also if nothing can be typed', async () => {
    lobby = spawnTs(MAIN, [], { isOpen: true });
    await lobby.prints('Ctrl-C to stop');
    const [, url = '', token = ''] = /npm run play -- '(\S+)' (\S+)/.exec(lobby.out())!;
    for (const isOpen of [true, false]) {
      const garbage = await spawnTs(PLAY, [url, 'garbage'], { isOpen }).exited;
      deepStrictEqual(
        [garbage.code, garbage.err],
        [
          1,
          'You are out (4401 invalid_token): each token works once. Type player where the lobby runs for a new one.\n',
        ],
      );
    }
    const player = await spawnTs(PLAY, [url, token]).exited;
    deepStrictEqual([player.code, player.err], [0, '']);
    const nowhere = spawnTs(PLAY, ['ws://127.0.0.1:1/', token]);
    await nowhere.prints('Trying again… Check the address');
    nowhere.process.kill();
    await nowhere.exited;
    strictEqual((await spawnTs(PLAY, ['garbage']).exited).code, 2);
    emulator = lobby;
  });

  it('keeps the place of a player whose network goes away', async () => {
    lobby = spawnTs(MAIN, [], { isOpen: true });
    await lobby.prints('Ctrl-C to stop');
    const [, url = '', token = ''] = /npm run play -- '(\S+)' (\S+)/.exec(lobby.out())!;
    const network = await openNetwork(Number(new URL(url).port));
    const ada = spawnTs(PLAY, [`ws://127.0.0.1:${network.port}/?name=Ada`, token], { isOpen: true });
    await ada.prints('You are in');
    ada.process.stdin!.write('d\n');
    await ada.prints('· A ·');
    network.set('down');
    await lobby.prints('a player is away');
    await ada.prints('Coming back');
    network.set('up');
    await lobby.prints('a player is returned');
    ada.process.stdin!.write('s\n');
    await ada.prints('\n· · · · · · · ·\n· A ·');
    ada.process.stdin!.end();
    strictEqual((await ada.exited).code, 0);
    await lobby.prints('0 playing');
    emulator = lobby;
  });

  it('has a port of its own choice, that of PORT, or that of --port', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { PORT: String(port) };
    lobby = spawnTs(MAIN, [], { env });
    emulator = lobby;
    match((await lobby.exited).err, new RegExp(`^Port ${port} is already in use`));
    server.close();
    lobby = spawnTs(MAIN, ['--port', '0'], { env });
    await lobby.prints('open on ws://127.0.0.1:');
    ok(!lobby.out().includes(`:${port}/`), lobby.out());
  });

  it('shows metrics to Prometheus, and says if it cannot', async () => {
    const port = await freePort();
    const env = { OTEL_EXPORTER_PROMETHEUS_PORT: String(port) };
    lobby = spawnTs(MAIN, ['--metrics'], { env });
    emulator = lobby;
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
    lobby = helped;
    emulator = lobby;
    const { code, out } = await helped.exited;
    strictEqual(code, 0);
    match(out, /--port N .*PORT, or else a free one$/m);
    for (const [args, env, message] of [
      [['--prot', '1'], {}, /^Unknown option '--prot'; see npm run lobby -- --help\n$/],
      [['--port', 'x'], {}, /^The port must be a whole number from 0 to 65535; got 'x'.\n$/],
      [['--port', '70000'], {}, /^The port must be a whole number/],
      [['8080'], {}, /^Unexpected argument '8080'[^\n]*; see npm run lobby -- --help\n$/],
      [
        [],
        { LOBBY_RX_URL: 'nowhere', LOBBY_TOKEN: 'a' },
        /^LOBBY_RX_URL or LOBBY_TOKEN cannot be used: .*\n$/,
      ],
    ] as const) {
      lobby = spawnTs(MAIN, args, { env });
      emulator = lobby;
      const ended = await lobby.exited;
      strictEqual(ended.code, 2, ended.err);
      match(ended.err, message);
    }
  });

  it('says in one line that its port is in use', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    lobby = spawnTs(MAIN, ['--port', String(port)]);
    emulator = lobby;
    const { code, out, err } = await lobby.exited;
    server.close();
    deepStrictEqual([code, out], [1, '']);
    match(err, new RegExp(`^Port ${port} is already in use; choose another one: .*\n$`));
  });
});
