import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { lobbyGate, type GateStats, type PlayerSocket } from 'lobby-rx/lobby-server';
import type { Report } from './report.js';

const PLAYERS = 500;
const AT_ONCE = 100;
const HOSTILE = { silent: 1_100, fragments: 300, junk: 300 };

/** An address of this machine that no honest client uses. */
const ADDRESS = '127.0.0.66';

/**
 * How long one waits before it connects again, in ms: they run in the process of the gate, and must
 * leave some of it to that.
 */
const PAUSE = 1_000;

/** Honest players connect to a gate while hostile clients of one address do all they can. */
export async function benchBesiegedGate(report: Report): Promise<void> {
  const emulator = createEmulator();
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: PLAYERS });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gate$ = lobbyGate({ server, client: createClient({ ...service.urls, token }) });
  const players: PlayerSocket[] = [];
  const gate = gate$.subscribe(player => {
    players.push(player);
    player.send('Welcome.');
  });
  let figures: GateStats | undefined;
  const stats = gate$.stats$.subscribe(now => {
    figures = now;
  });

  const crowd = await hostileCrowd(port, HOSTILE);
  const start = performance.now();
  const tokens = Array.from({ length: PLAYERS }, () => emulator.reservePlayer(lobby_id));
  let refused = 0;
  const connectNext = async () => {
    for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
      if (!(await isAdmitted(port, token))) refused++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectNext));
  const ms = performance.now() - start;
  crowd.stop();

  report.heading(`${PLAYERS} players, ${AT_ONCE} at a time, beside 1,700 hostile sockets from one address`);
  report.row('players admitted', players.length, '');
  report.row('players refused', refused, '', 0);
  report.row('hostile sockets closed by the gate meanwhile', crowd.closed(), '');
  report.row('hostile sockets waiting for their first message', figures?.waiting ?? 0, '', 1_024);
  report.row('time until the last player was in', ms, 'ms');
  stats.unsubscribe();
  gate.unsubscribe();
  for (const player of players) player.close();
  await Promise.all(players.map(player => firstValueFrom(player.closed$)));
  server.close();
  server.closeAllConnections();
  await service.close();
}

/** Whether a player with this token is welcomed. */
function isAdmitted(port: number, token: string): Promise<boolean> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/`);
  return new Promise(resolve => {
    ws.on('error', () => undefined);
    ws.on('open', () => ws.send(token));
    ws.on('message', () => resolve(true));
    ws.on('close', () => resolve(false));
  });
}

/** Hostile clients of a gate, from one address, until they are stopped. */
interface HostileCrowd {
  /** How many of their connections have been closed by the gate so far. */
  readonly closed: () => number;
  readonly stop: () => void;
}

/**
 * Silent sockets, ones that send a first message in fragments of one byte, and ones with a token
 * that nobody has issued. When one is closed, another one connects a second later. Resolves when
 * all of the first ones have connected.
 */
async function hostileCrowd(
  port: number,
  counts: Readonly<Record<'silent' | 'fragments' | 'junk', number>>,
): Promise<HostileCrowd> {
  const sockets = new Set<Socket>();
  let [closed, isStopped, tokens] = [0, false, 0];

  const open = (kind: string): Promise<unknown> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESS });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      closed++;
      if (!isStopped) setTimeout(() => isStopped || void open(kind), PAUSE).unref();
    });
    socket.write(HANDSHAKE);
    if (kind === 'junk') socket.once('data', () => socket.write(textFrame(`junk-${tokens++}`)));
    if (kind === 'fragments')
      socket.write(Buffer.concat([FIRST, ...Array.from({ length: 2_000 }, () => NEXT)]));
    socket.resume();
    return once(socket, 'connect');
  };
  const kinds = Object.entries(counts).flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
  await Promise.allSettled(kinds.map(open));
  return {
    closed: () => closed,
    stop: () => {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The first fragment of a message that never ends, and the next ones. */
const FIRST = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x78]);
const NEXT = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x78]);

/** A message of fewer than 126 bytes, masked with zeros. */
const textFrame = (text: string) =>
  Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]);

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: a',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
  '\r\n',
].join('\r\n');
