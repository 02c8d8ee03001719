import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { of } from 'rxjs';
import { WebSocketServer } from 'ws';
import { lobbyGate } from 'lobby-rx/lobby-server';
import { compare, interleaved } from './measure.js';
import { serveSocketIo } from './peers.js';
import type { Report } from './report.js';
import { replyOf } from './service-process.js';

/** What a player connects with. */
export type PlayerKind = 'lobbyConnection' | 'a socket of ws' | 'partysocket' | 'socket.io-client';

/** So many are open before anything is measured, so that code is compiled. */
const WARM_UP = 100;
const PLAYERS = 500;
const ROUNDS = 3;

/** The memory of a player's side, each kind in a fresh process beside the same server. */
export async function benchPlayers(report: Report): Promise<void> {
  const { port, close } = await serve();
  const rounds = await interleaved<PlayerKind>(
    {
      lobbyConnection: () => heapOf('lobbyConnection', port),
      'a socket of ws': () => heapOf('a socket of ws', port),
      partysocket: () => heapOf('partysocket', port),
      'socket.io-client': () => heapOf('socket.io-client', port),
    },
    { rounds: ROUNDS, warmUp: 0 },
  );
  close();
  report.heading(`The heap of a player's side, ${PLAYERS} players, all on sockets of ws`);
  compare(report, rounds, 'KB', {
    'a socket of ws': 2.6,
    partysocket: [1.6, 1],
    'socket.io-client': 0.75,
  });
}

/** A gate, a server of sockets that say nothing, and one of socket.io. */
async function serve(): Promise<{ readonly port: number; close: () => void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = {
    matchmaker: { players: { connected: () => of(undefined) } },
  };
  const gate = lobbyGate({ server, client, path: '/gate', maxPending: 1_024 }).subscribe();
  const silent = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/') silent.handleUpgrade(request, socket, head, () => undefined);
  });
  const closeSocketIo = serveSocketIo(server, () => Promise.resolve(true));
  const close = () => {
    gate.unsubscribe();
    silent.close();
    // It closes the server, too.
    closeSocketIo();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** In KB. */
async function heapOf(kind: PlayerKind, port: number): Promise<number> {
  const child = fork(join(import.meta.dirname, 'player.mjs'), [kind, String(port)], {
    execArgv: ['--expose-gc'],
  });
  const open = async (count: number) => {
    const reply = await replyOf(child, { open: count });
    return (reply as { readonly heap: number }).heap;
  };
  const before = await open(WARM_UP);
  const after = await open(PLAYERS);
  child.disconnect();
  await once(child, 'exit');
  return ((after - before) * 1_024) / PLAYERS;
}
