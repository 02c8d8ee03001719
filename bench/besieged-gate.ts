import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { lobbyGate, type GateStats, type LobbySocket } from 'lobby-rx/lobby-server';
import { hostileCrowd } from './hostile-crowd.js';
import type { Report } from './report.js';

const PLAYERS = 500;
const AT_ONCE = 100;
const HOSTILE = { silent: 1_100, fragments: 300, junk: 300 };

/** Honest players connect to a gate while hostile clients of one address do all they can. */
export async function benchBesiegedGate(report: Report): Promise<void> {
  const emulator = createEmulator();
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: PLAYERS });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gate$ = lobbyGate({ server, client: createClient({ ...service.urls, token }), firstMessage: true });
  const players: LobbySocket[] = [];
  const gate = gate$.subscribe(player => {
    players.push(player);
    player.send('Welcome.');
  });
  let figures: GateStats | undefined;
  const stats = gate$.stats$.subscribe(now => (figures = now));

  const crowd = await hostileCrowd(port, HOSTILE);
  const start = performance.now();
  const tokens = Array.from({ length: PLAYERS }, () => emulator.reservePlayer(lobby_id));
  let refused = 0;
  const connectNext = async () => {
    for (let token = tokens.pop(); token !== undefined; token = tokens.pop()) {
      if (!(await isAdmitted(port, token, tokens.length % 2 === 0))) refused++;
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

/** Whether a player with this token, in the URL or as the first message, is welcomed. */
function isAdmitted(port: number, token: string, isInUrl: boolean): Promise<boolean> {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/${isInUrl ? `?token=${token}` : ''}`);
  return new Promise(resolve => {
    ws.on('error', () => undefined);
    ws.on('open', () => isInUrl || ws.send(token));
    ws.on('message', () => resolve(true));
    ws.on('close', () => resolve(false));
  });
}
