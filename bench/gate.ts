import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { createClient } from 'lobby-rx';
import { createEmulator, listen, type Emulator } from 'lobby-rx/emulator';
import { lobbyGate } from 'lobby-rx/lobby-server';
import { heap } from './measure.js';
import type { Report } from './report.js';
import { benchSlotFiles } from './slot-files.js';

const SOCKETS = 1_000;
const VALID = 100;
const ROUNDS = 5;
/** How many clients connect at the same time. */
const AT_ONCE = 200;

/** Floods of a thousand sockets, two hundred at a time, one in ten with a valid token. */
export async function benchGate(report: Report): Promise<void> {
  const emulator = createEmulator();
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: 10 * VALID * ROUNDS });
  const client = createClient({ ...service.urls, token });
  fillRequestsOf(emulator);

  const tokens = (round: string) =>
    Array.from({ length: SOCKETS }, (_, i) =>
      i % (SOCKETS / VALID) === 0 ? emulator.reservePlayer(lobby_id) : `invalid-${round}-${i}`,
    );

  const ours = await open();
  let admitted = 0;
  let gone = 0;
  const gate = lobbyGate({
    server: ours.server,
    client,
    token: 'query',
    freeSlot: () => {
      gone++;
    },
  }).subscribe(() => admitted++);
  const handWritten = await open();
  handWrittenGate(handWritten.server, service.urls.matchmakerUrl, token);

  const time = async (port: number, round: string) => {
    const all = tokens(round);
    const start = performance.now();
    const answers = await flood(port, all);
    return { ms: performance.now() - start, answers };
  };
  await time(ours.port, 'warm');
  await time(handWritten.port, 'warm');
  admitted = 0;
  gone = 0;

  let best = Infinity;
  let bestHandWritten = Infinity;
  let heapGrowth = Infinity;
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = heap();
    const { ms, answers } = await time(ours.port, `${round}`);
    while (gone < admitted) await new Promise(resolve => setImmediate(resolve));
    heapGrowth = Math.min(heapGrowth, heap() - before);
    best = Math.min(best, ms);
    refused += answers.get(401) ?? 0;
    bestHandWritten = Math.min(bestHandWritten, (await time(handWritten.port, `hand-${round}`)).ms);
  }

  report.heading(`${ROUNDS} floods of 1,000 sockets, 200 at a time, 100 of them with a valid token`);
  report.row('admitted', admitted, 'in total', VALID * ROUNDS);
  report.row('refused with a valid token', VALID * ROUNDS - admitted, '', 0);
  report.row('refused', refused, 'in total');
  report.row('heap growth per flood', heapGrowth, 'MB', 1);
  report.row('time of a flood, lobbyGate', best, 'ms');
  report.row('time of a flood, hand-written gate on fetch', bestHandWritten, 'ms');
  report.row('lobbyGate / hand-written', best / bestHandWritten, '×');
  gate.unsubscribe();
  ours.server.close();
  handWritten.server.close();
  await service.close();
  await benchSlotFiles(report);
}

/** Fills the emulator's own list of requests, so that it does not grow any further. */
function fillRequestsOf(emulator: Emulator): void {
  const request = { method: 'POST', url: '/matchmaker/v1/players/connected', headers: {} };
  for (let i = 0; i < 10_500; i++) emulator.handle(request).subscribe();
}

async function open(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/**
 * A typical hand-written gate: confirms the token during the upgrade, and admits the player if the
 * service says OK.
 */
function handWrittenGate(server: Server, matchmakerUrl: string, token: string): void {
  const sockets = new WebSocketServer({ noServer: true });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  server.on('upgrade', (request, socket, head) => {
    const player_token = new URL(request.url ?? '', 'http://lobby').searchParams.get('token');
    void fetch(`${matchmakerUrl}/v1/players/connected`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ player_token }),
    }).then(({ ok }) => {
      if (ok) sockets.handleUpgrade(request, socket, head, ws => ws.on('message', () => undefined));
      else socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    });
  });
}

/** The number of answers by HTTP status. 101 is a socket that opened. */
type StatusCounts = ReadonlyMap<number, number>;

/** Connects once with each token, and closes all sockets when every request has been answered. */
async function flood(port: number, tokens: readonly string[]): Promise<StatusCounts> {
  const counts = new Map<number, number>();
  const open: WebSocket[] = [];
  const connect = (token: string): Promise<number> =>
    new Promise(resolve => {
      const ws = new WebSocket(`ws://127.0.0.1:${port}/?token=${token}`);
      ws.on('error', () => undefined);
      ws.on('open', () => {
        open.push(ws);
        resolve(101);
      });
      ws.on('unexpected-response', (_, response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode ?? 0));
      });
    });
  const remaining = [...tokens];
  const connectNext = async () => {
    for (let token = remaining.pop(); token !== undefined; token = remaining.pop()) {
      const status = await connect(token);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connectNext));
  await Promise.all(
    open.map(
      ws =>
        new Promise(resolve => {
          ws.on('close', resolve);
          ws.close();
        }),
    ),
  );
  return counts;
}
