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

/** A thousand sockets, two hundred at a time, one in ten with a valid token. */
export async function benchGate(report: Report): Promise<void> {
  const emulator = createEmulator();
  const service = await listen(emulator);
  const { lobby_id, token } = emulator.addLobby({ maxPlayers: 10 * VALID * ROUNDS });
  const client = createClient({ ...service.urls, token });
  // What the emulator itself remembers of requests is full now, and grows no further.
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
  const theirs = await open();
  handWrittenGate(theirs.server, service.urls.matchmakerUrl, token);

  const time = async (port: number, round: string) => {
    const all = tokens(round);
    const start = performance.now();
    const answers = await flood(port, all);
    return { ms: performance.now() - start, answers };
  };
  await time(ours.port, 'warm');
  await time(theirs.port, 'warm');
  admitted = gone = 0;

  let [best, bestByHand, grown, refused] = [Infinity, Infinity, Infinity, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const before = heap();
    const { ms, answers } = await time(ours.port, `${round}`);
    while (gone < admitted) await new Promise(resolve => setImmediate(resolve));
    grown = Math.min(grown, heap() - before);
    best = Math.min(best, ms);
    refused += answers.get(401) ?? 0;
    bestByHand = Math.min(bestByHand, (await time(theirs.port, `hand-${round}`)).ms);
  }

  report.heading(`${ROUNDS} floods of 1,000 sockets, 200 at a time, 100 of them with a valid token`);
  report.row('admitted', admitted, 'in all', VALID * ROUNDS);
  report.row('turned away with a valid token', VALID * ROUNDS - admitted, '', 0);
  report.row('refused', refused, 'in all');
  report.row('heap grown by a flood', grown, 'MB', 1);
  report.row('a flood at the gate', best, 'ms');
  report.row('a flood at one written by hand, on fetch', bestByHand, 'ms');
  report.row('the gate / by hand', best / bestByHand, '×');
  gate.unsubscribe();
  ours.server.close();
  theirs.server.close();
  await service.close();
}
