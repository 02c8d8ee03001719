import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'lobby-rx';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { lobbyGate } from 'lobby-rx/lobby-server';
import { flood } from './flood.js';
import { handWrittenGate } from './hand-written-gate.js';
import { heap } from './heap.js';
import type { Report } from './report.js';

const SOCKETS = 1_000;
const VALID = 100;
const ROUNDS = 5;

/** Floods of a thousand sockets, two hundred at a time, one in ten with a valid token. */
export async function benchGate(report: Report): Promise<void> {
  const emulator = createEmulator();
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: 10 * VALID * ROUNDS });
  const client = createClient({ ...service.urls, token });
  // Fills the emulator's own list of requests, so that it does not grow any further.
  const request = { method: 'POST', url: '/matchmaker/v1/players/connected', headers: {} };
  for (let i = 0; i < 10_500; i++) emulator.handle(request).subscribe();

  const open = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, port: (server.address() as AddressInfo).port };
  };
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
    onGone: () => {
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
  admitted = gone = 0;

  let [best, bestHandWritten, heapGrowth, refused] = [Infinity, Infinity, Infinity, 0];
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
}
